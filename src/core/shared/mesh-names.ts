/** Endings of mesh files, in lower case without dots. */
export const meshEndings = ['stl', 'ply', 'obj', 'glb', 'gltf', 'gii'] as const;

/** FreeSurfer surfaces have no ending of their own. */
const freesurfer =
  /(^|\.)[lr]h\.(pial|white|inflated|orig|smoothwm|sphere|midthickness|graymid|qsphere)(\.(reg|nofix|preaparc|deformed|T1|T2|FLAIR))*$/i;

/** The mesh formats that Stria reads, for messages. */
export const meshFiles = 'STL, PLY, OBJ, glTF (.glb, .gltf), GIFTI (.gii) and FreeSurfer surfaces (lh.pial)';

/** Whether a file's name is that of a mesh. */
export function isMeshName(name: string): boolean {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (meshEndings as readonly string[]).includes(ending) || freesurfer.test(name);
}
