/** Endings of files of meshes, in lower case without dots. */
export const meshEndings = ['stl', 'ply', 'obj', 'glb', 'gltf', 'gii'] as const;

/** FreeSurfer's surfaces have no ending of their own. */
const freesurfer =
  /(^|\.)[lr]h\.(pial|white|inflated|orig|smoothwm|sphere|midthickness|graymid|qsphere)(\.(reg|nofix|preaparc|deformed|T1|T2|FLAIR))*$/i;

/** What Stria reads, for messages. */
export const meshFiles = 'STL, PLY, OBJ, glTF (.glb, .gltf), GIFTI (.gii) and FreeSurfer surfaces (lh.pial)';

/** Whether a file's name is one of a mesh. */
export function isMeshName(name: string): boolean {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (meshEndings as readonly string[]).includes(ending) || freesurfer.test(name);
}
