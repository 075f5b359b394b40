// The rooms of src/: what each folder holds and what it may import. The linter refuses all other imports. A room may always
// import its own files. `npm run rooms` generates the linter's rules and the table in docs/ARCHITECTURE.md from this list.

export const rooms = [
  {
    room: 'core/shared',
    holds: 'Volume types, units, errors, progress and the IPC contract, for every room.',
    imports: '',
  },
  {
    room: 'shaders',
    holds: 'The linker: joins a .wgsl file and its imports into the text to compile.',
    imports: '',
  },
  {
    room: 'shaders/build',
    holds: 'The Vite plugin that reads .wgsl files: imports, conditions, constants.',
    imports: '',
    packages: 'vite node:*',
  },
  {
    room: 'core/gpu',
    holds: 'The device, buffers and their lifetimes, kernels, timing, prefix sums, tuning.',
    imports: 'core/shared shaders shaders/scan',
  },
  {
    room: 'assembly/common',
    holds: 'AssemblyScript, compiled to WebAssembly by the build: vectors of elements, bits, the checksum.',
    imports: '',
  },
  {
    room: 'assembly/rice',
    holds: 'AssemblyScript: bricks of rice, with SIMD.',
    imports: 'assembly/common',
  },
  {
    room: 'assembly/huffman',
    holds: 'AssemblyScript: Huffman codes and tiles.',
    imports: '',
  },
  {
    room: 'assembly/predict',
    holds: 'AssemblyScript: prediction residuals sorted by magnitude.',
    imports: 'assembly/common',
  },
  {
    room: 'assembly/survey',
    holds: 'AssemblyScript: the survey of a chunk.',
    imports: 'assembly/common',
  },
  {
    room: 'assembly/labels',
    holds: 'AssemblyScript: the walk through bricks of labels, and its range coder.',
    imports: 'assembly/common',
  },
  {
    room: 'assembly/rle',
    holds: 'AssemblyScript: the starts of runs, their values, and the voxels that they stand for.',
    imports: 'assembly/common',
  },
  {
    room: 'assembly/parle',
    holds: 'AssemblyScript: flat runs with anchors.',
    imports: '',
  },
  {
    room: 'assembly/wave',
    holds: 'AssemblyScript: the loops of wave over elements.',
    imports: '',
  },
  {
    room: 'assembly/checksum',
    holds: 'AssemblyScript: the checksum of bytes.',
    imports: 'assembly/common',
  },
  {
    room: 'assembly/chunks',
    holds: 'AssemblyScript: chunks in a thread’s memory, their analysis and encoding.',
    imports: 'assembly/common assembly/halve assembly/rle assembly/survey',
  },
  {
    room: 'assembly/halve',
    holds: 'AssemblyScript: boxes of voxels at half their resolution.',
    imports: '',
  },
  {
    room: 'core/codec',
    holds: 'The interface of a codec, and what codecs share: batches of chunks, scan orders, bricks, the survey of a chunk.',
    imports: 'core/gpu core/shared shaders shaders/codec',
  },
  {
    room: 'core/codecs',
    holds: 'The registry of codecs and the list of their kernels.',
    imports:
      'core/codec core/codecs/huffman core/codecs/labels core/codecs/parle core/codecs/predict core/codecs/raw core/codecs/rice core/codecs/rle core/codecs/wave core/gpu core/shared',
  },
  {
    room: 'core/codecs/raw',
    holds: 'Voxels stored unchanged.',
    imports: 'core/codec core/gpu core/shared shaders/raw',
  },
  {
    room: 'core/codecs/rle',
    holds: 'Column run-length encoding as a bitmap tree.',
    imports: 'assembly/rle core/codec core/gpu core/shared shaders shaders/rle',
  },
  {
    room: 'core/codecs/rice',
    holds: 'Prediction and Rice codes in bricks.',
    imports: 'assembly/rice core/codec core/gpu core/shared shaders shaders/rice',
  },
  {
    room: 'core/codecs/predict',
    holds: 'Prediction residuals sorted by magnitude, for an entropy coder to follow.',
    imports: 'assembly/predict core/codec core/gpu core/shared shaders shaders/predict',
  },
  {
    room: 'core/codecs/huffman',
    holds: 'Canonical Huffman codes in striped segments.',
    imports: 'assembly/huffman core/codec core/gpu core/shared shaders/huffman',
  },
  {
    room: 'core/codecs/labels',
    holds: 'Guesses from neighbours and a range coder, for segmentations.',
    imports: 'assembly/labels core/codec core/gpu core/shared shaders shaders/labels',
  },
  {
    room: 'core/codecs/parle',
    holds: 'Flat runs with anchors.',
    imports: 'assembly/parle core/codec core/gpu core/shared shaders/parle',
  },
  {
    room: 'core/codecs/wave',
    holds: 'Prediction fitted to each chunk and fixed tables of codes, for scans.',
    imports: 'assembly/wave core/codec core/gpu core/shared shaders shaders/wave',
  },
  {
    room: 'core/format',
    holds: 'The .stria container: reader, writer, index, checksum, recovery of records.',
    imports: 'assembly/checksum core/io/common core/shared',
  },
  {
    room: 'core/io',
    holds: 'Opening any file as a volume, and exporting a volume.',
    imports:
      'core/io/common core/io/dicom core/io/hdf5 core/io/label-tables core/io/metaimage core/io/mgh core/io/mrc core/io/nifti core/io/npy core/io/nrrd core/io/ome-tiff core/io/pictures core/io/raw core/io/vti core/io/zarr core/shared',
  },
  {
    room: 'core/io/common',
    holds: 'Byte streams, gunzip, affines and the interface of a reader.',
    imports: 'core/shared',
    packages: 'fflate',
  },
  {
    room: 'core/io/nifti',
    holds: 'NIfTI-1 and NIfTI-2, and their predecessor Analyze 7.5.',
    imports: 'core/io/common core/shared',
  },
  {
    room: 'core/io/label-tables',
    holds: 'Label tables: names and colours, in the formats of several programs.',
    imports: 'core/shared',
    packages: 'saxes',
  },
  {
    room: 'core/transforms',
    holds: 'Linear transforms of space, and their files: ITK, FSL FLIRT, plain matrices.',
    imports: 'core/shared',
  },
  {
    room: 'core/io/nrrd',
    holds: 'NRRD, attached and detached.',
    imports: 'core/io/common core/shared',
  },
  {
    room: 'core/io/metaimage',
    holds: 'MetaImage: .mha, .mhd with its data files.',
    imports: 'core/io/common core/shared',
  },
  {
    room: 'core/io/mgh',
    holds: 'FreeSurfer’s MGH and MGZ.',
    imports: 'core/io/common core/shared',
  },
  {
    room: 'core/io/mrc',
    holds: 'MRC and CCP4 maps.',
    imports: 'core/io/common core/shared',
  },
  {
    room: 'core/io/npy',
    holds: 'NumPy arrays.',
    imports: 'core/io/common core/shared',
  },
  {
    room: 'core/io/raw',
    holds: 'Raw voxels with a sidecar.',
    imports: 'core/io/common core/shared',
  },
  {
    room: 'core/io/vti',
    holds: 'VTK image data: .vti.',
    imports: 'core/io/common core/shared',
    packages: 'saxes',
  },
  {
    room: 'core/io/codestreams',
    holds: 'JPEG and its relatives: headers, and decoders as WebAssembly.',
    imports: 'core/io/common core/shared',
    packages:
      '@cornerstonejs/codec-charls @cornerstonejs/codec-libjpeg-turbo-8bit @cornerstonejs/codec-openjpeg @cornerstonejs/codec-openjph jpeg-lossless-decoder-js',
  },
  {
    room: 'core/io/tiff',
    holds: 'TIFF files: directories, layouts, strips and tiles, decompression.',
    imports: 'core/io/codestreams core/io/common core/shared',
    packages: 'numcodecs',
  },
  {
    room: 'core/io/ome-tiff',
    holds: 'OME-TIFF and ImageJ hyperstacks.',
    imports: 'core/io/common core/io/tiff core/shared',
    packages: 'saxes',
  },
  {
    room: 'core/io/ome-tiff/write',
    holds: 'Writing OME-TIFF.',
    imports: 'core/io/common core/io/tiff core/levels core/shared',
  },
  {
    room: 'core/io/pictures',
    holds: 'PNG and TIFF, single and as stacks.',
    imports: 'core/io/common core/io/tiff core/shared',
    packages: 'fast-png',
  },
  {
    room: 'core/io/zarr',
    holds: 'OME-Zarr and plain Zarr: trees of files and ZIPs.',
    imports: 'core/io/common core/io/unpack core/shared',
    packages: 'unzipit zarrita',
  },
  {
    room: 'core/levels',
    holds: 'Volumes at lower resolutions: their geometry, halving, which of them a file stores.',
    imports: 'assembly/halve core/format core/io/common core/shared',
  },
  {
    room: 'core/io/zarr/write',
    holds: 'Writing OME-Zarr: levels, shards, metadata, ZIPs.',
    imports: 'core/io/common core/io/zarr core/levels core/shared',
    packages: 'zarrita',
  },
  {
    room: 'core/io/dicom',
    holds: 'DICOM: the reader of files and folders.',
    imports: 'core/io/common core/io/dicom/parse core/io/dicom/series core/shared',
  },
  {
    room: 'core/io/dicom/parse',
    holds: 'Elements of DICOM files: headers, values, names, and which of them are personal.',
    imports: 'core/io/common core/shared',
    packages: 'fflate',
  },
  {
    room: 'core/io/dicom/pixels',
    holds: 'Converts frames of DICOM files to voxels: native and compressed pixels, palettes and colours.',
    imports: 'core/io/codestreams core/io/common core/io/dicom/parse core/shared',
  },
  {
    room: 'core/io/dicom/restore',
    holds: 'The data needed to restore DICOM files.',
    imports: 'core/io/common core/io/dicom/parse core/io/dicom/pixels core/shared',
  },
  {
    room: 'core/io/dicom/series',
    holds: 'Sorts DICOM files into volumes: series, slices, time points, geometry, units.',
    imports: 'core/io/common core/io/dicom/parse core/io/dicom/pixels core/io/dicom/restore core/shared',
  },
  {
    room: 'core/io/unpack',
    holds: 'Decoders of chunks: Blosc, LZ4, Zstandard, transposed bits.',
    imports: 'core/io/common core/shared',
    packages: 'numcodecs',
  },
  {
    room: 'core/io/hdf5/filters',
    holds: 'Decoders of filters that the HDF5 library lacks.',
    imports: 'core/io/common core/io/unpack core/shared',
  },
  {
    room: 'core/io/hdf5',
    holds: 'HDF5 datasets, read by the HDF5 library compiled to WebAssembly.',
    imports: 'core/io/common core/io/hdf5/filters core/shared',
    packages: 'h5wasm',
  },
  {
    room: 'core/remote',
    holds: 'Files and Zarrs at web addresses: ranges, retries, a cache of blocks.',
    imports: 'core/io/common core/io/zarr core/shared',
  },
  {
    room: 'core/samples',
    holds: 'Synthetic volumes.',
    imports: 'core/io core/io/common core/shared',
  },
  {
    room: 'core/chunks',
    holds: 'Chunks: the backend interface, boxes, analysis, the choice of a codec, ramps.',
    imports: 'core/codec core/codecs core/format core/gpu core/io/common core/shared',
  },
  {
    room: 'core/gpu-chunks',
    holds: 'The GPU backend: encoder, decode planner, transfers.',
    imports: 'core/chunks core/codec core/codecs core/format core/gpu core/shared shaders/gpu-chunks',
  },
  {
    room: 'core/left-out',
    holds: 'Levels that a file leaves out: which they are, and how chunks of the volume become their voxels.',
    imports: 'core/chunks core/codec core/format core/levels core/shared',
  },
  {
    room: 'core/cpu',
    holds: 'The CPU backend: tasks for threads, row sources, WebAssembly kernels; handing over to a GPU.',
    imports:
      'assembly/chunks assembly/survey core/chunks core/codec core/codecs core/format core/io/common core/left-out core/levels core/shared',
  },
  {
    room: 'core/stream',
    holds: 'What compressing and restoring share: slabs of a volume, readers of boxes, the clock of the stages.',
    imports: 'core/chunks core/codec core/format core/gpu core/io/common core/shared',
  },
  {
    room: 'core/stream/levels',
    holds: 'Levels that compressing makes and stores, and rewriting the levels of a file.',
    imports: 'core/chunks core/codec core/format core/io/common core/levels core/shared core/stream',
  },
  {
    room: 'core/stream/compress',
    holds: 'From a volume to a .stria.',
    imports: 'core/chunks core/codec core/format core/io/common core/shared core/stream core/stream/levels',
  },
  {
    room: 'core/stream/restore',
    holds: 'From a .stria to files of any format, or to an open volume.',
    imports:
      'core/chunks core/codec core/format core/gpu core/io core/io/common core/io/ome-tiff/write core/io/pictures core/io/zarr/write core/shared core/stream',
  },
  {
    room: 'core/stream/check',
    holds: 'Describing and verifying a .stria, and recovering what is left of a damaged one.',
    imports: 'core/chunks core/codec core/format core/io/common core/io/pictures core/left-out core/shared core/stream',
  },
  {
    room: 'core/stream/made-levels',
    holds: 'Levels of a volume that has none: beside its file, or only in memory while it is open.',
    imports: 'core/chunks core/format core/io/common core/levels core/shared core/stream core/stream/compress',
  },
  {
    room: 'core/parts',
    holds: 'Merging the parts of a volume that several machines compressed, and combining volumes.',
    imports: 'core/chunks core/format core/io/common core/shared core/stream core/stream/levels',
  },
  {
    room: 'core/particles',
    holds: 'Particles to a volume: fixed-point sums on the CPU and the GPU, and the values computed from them.',
    imports: 'core/gpu core/io/common core/shared core/stream shaders/particles',
  },
  {
    room: 'core/particles/formats',
    holds: 'Particle files: Tipsy, NChilada, GADGET HDF5, NumPy, CSV.',
    imports: 'core/io/common core/io/hdf5 core/io/npy core/particles core/shared',
  },
  {
    room: 'core/stats',
    holds: 'Statistics of volumes and their labels, streamed on the CPU.',
    imports: 'core/io/common core/shared core/stream core/volume',
  },
  {
    room: 'core/mesh',
    holds: 'Surfaces of volumes as triangles: marching cubes, smoothing.',
    imports: 'core/io/common core/shared core/stream',
  },
  {
    room: 'core/mesh/write',
    holds: 'Writing mesh files: STL, PLY, OBJ, GLB.',
    imports: 'core/mesh core/shared',
  },
  {
    room: 'core/mesh/gpu',
    holds: 'The same surfaces, extracted on the GPU, slab by slab.',
    imports: 'core/codec core/gpu core/io/common core/mesh core/shared core/stream core/volume shaders/mesh',
  },
  {
    room: 'core/mesh/read',
    holds: 'Reading mesh files: STL, PLY, OBJ, glTF, GIFTI, FreeSurfer.',
    imports: 'core/io/common core/mesh core/shared core/transforms',
    packages: 'saxes',
  },
  {
    room: 'core/volume',
    holds: 'What all volumes that are shown have: statistics, histograms, regions, labels, planes, the display texture.',
    imports: 'core/chunks core/codec core/format core/gpu core/gpu-chunks core/io/common core/shared shaders/volume',
  },
  {
    room: 'core/volume/compressed',
    holds: 'Volumes in GPU memory as payloads, decoded there to be drawn and read.',
    imports: 'core/chunks core/codec core/format core/gpu core/gpu-chunks core/shared core/volume shaders/volume',
  },
  {
    room: 'core/volume/resident',
    holds: 'Volumes in GPU memory as voxels; compressing them there; their difference.',
    imports:
      'core/chunks core/codec core/format core/gpu core/gpu-chunks core/shared core/stream core/stream/compress core/stream/levels core/volume shaders/volume',
  },
  {
    room: 'core/volume/levels',
    holds: 'Levels and regions of open files, read on demand, also levels that files leave out.',
    imports:
      'core/chunks core/format core/io/common core/left-out core/shared core/stream core/stream/made-levels core/volume core/volume/compressed',
  },
  {
    room: 'core/draw',
    holds: 'Passes that draw rays, slices, thick slices and oblique planes. No three.js, no page.',
    imports: 'core/gpu core/mesh core/shared core/transforms core/volume shaders/draw',
  },
  {
    room: 'core/bricks',
    holds: 'Bricks of volumes larger than memory: read, kept compressed, decoded on the GPU and drawn on demand.',
    imports:
      'core/chunks core/codec core/codecs core/cpu core/draw core/format core/gpu core/gpu-chunks core/left-out core/shared core/volume shaders/brick-draw shaders/draw',
  },
  {
    room: 'core/bench/harness',
    holds: 'Cases, timing, statistics and results of benchmarks.',
    imports:
      'core/chunks core/codec core/codecs core/cpu core/format core/gpu core/gpu-chunks core/samples core/shared shaders/bench',
  },
  {
    room: 'core/bench/seeds',
    holds: 'The algorithms of the papers behind Stria.',
    imports: 'core/bench/harness core/chunks core/codecs core/gpu core/samples core/shared shaders/bench',
  },
  {
    room: 'core/bench',
    holds: 'The suites of `stria bench` and the Lab, tuning, comparison of results.',
    imports:
      'core/bench/harness core/bench/seeds core/bricks core/chunks core/codec core/codecs core/draw core/format core/gpu core/gpu-chunks core/mesh core/mesh/gpu core/samples core/shared core/stream core/volume core/volume/compressed core/volume/resident',
  },
  {
    room: 'lib',
    holds: 'The package `stria` for programs: open, compress, the Zarr codec.',
    imports:
      'core/chunks core/codec core/codecs core/cpu core/format core/io/common core/io/npy core/shared core/stream core/stream/compress',
  },
  {
    room: 'node',
    holds: 'What Node provides to the engine: files, threads, the GPU.',
    imports: 'core/cpu core/format core/gpu core/io/common core/samples core/shared',
    packages: 'node:* webgpu',
  },
  {
    room: 'cli',
    holds: 'The entry point of the command and its help.',
    imports: 'cli/arguments cli/commands cli/terminal core/shared',
  },
  {
    room: 'cli/arguments',
    holds: 'Command-line arguments and the table of commands.',
    imports: 'core/bench/harness core/codec core/codecs core/io/common core/mesh core/particles core/samples core/shared',
    packages: 'node:*',
  },
  {
    room: 'cli/terminal',
    holds: 'Text, progress bars and messages in a terminal.',
    imports: 'cli/arguments core/shared package.json',
    packages: 'cli-progress node:*',
  },
  {
    room: 'cli/outputs',
    holds: 'Output names, partial files, sinks.',
    imports: 'cli/terminal core/io/common core/remote core/shared node',
    packages: 'node:*',
  },
  {
    room: 'cli/devices',
    holds: 'The backend that `--device` selects.',
    imports: 'cli/arguments cli/terminal core/chunks core/cpu core/gpu core/gpu-chunks core/shared node',
    packages: 'node:*',
  },
  {
    room: 'cli/bench',
    holds: 'Files, processes and threads of `stria bench`.',
    imports: 'cli/arguments cli/terminal core/bench core/bench/harness core/samples core/shared node',
    packages: 'node:*',
  },
  {
    room: 'cli/serve',
    holds: 'The server of `stria serve`: paths, files by range, the page of a folder.',
    imports: 'cli/terminal core/format core/io core/io/common core/shared node',
    packages: 'node:*',
  },
  {
    room: 'cli/pictures',
    holds:
      'Drawing without a window, for `stria picture` and `stria movie`: a volume on the GPU, its view from options, the picture.',
    imports:
      'cli/arguments core/chunks core/draw core/gpu core/io/common core/shared core/volume core/volume/resident renderer/viewer/colors renderer/viewer/draw renderer/viewer/model',
  },
  {
    room: 'cli/commands',
    holds: 'One file for each command.',
    imports:
      'cli/arguments cli/bench cli/devices cli/outputs cli/pictures cli/serve cli/terminal core/bench core/bench/harness core/bricks core/chunks core/codecs core/cpu core/draw core/format core/gpu core/io core/io/common core/io/label-tables core/io/pictures core/io/zarr/write core/left-out core/mesh core/mesh/gpu core/mesh/read core/mesh/write core/particles core/particles/formats core/parts core/remote core/samples core/shared core/stats core/stream/check core/stream/compress core/stream/levels core/stream/made-levels core/stream/restore core/volume core/volume/levels core/volume/resident node renderer/app/session renderer/viewer/model',
    packages: 'node:*',
  },
  {
    room: 'main',
    holds: 'The Electron main process: windows, menus, the app:// protocol, files, dialogs.',
    imports: 'resources core/io/common core/remote core/shared node',
    packages: 'electron electron-updater node:*',
  },
  {
    room: 'preload',
    holds: 'The bridge: exposes one typed object, nothing else.',
    imports: 'core/shared',
    packages: 'electron',
  },
  {
    room: 'renderer',
    holds: 'The entry point of the page.',
    imports: 'renderer/app renderer/host renderer/panels/shell',
    packages: 'react-dom',
  },
  {
    room: 'renderer/host',
    holds: 'What the shell provides to the page: Electron’s bridge or the browser.',
    imports: 'core/io/common core/remote core/shared package.json',
  },
  {
    room: 'renderer/viewer/model',
    holds: 'The state of the views as plain data, and geometry: cameras, slices, clip planes, measurements.',
    imports: 'core/bricks core/chunks core/draw core/format core/mesh core/shared core/transforms core/volume',
    packages: 'three',
  },
  {
    room: 'renderer/viewer/colors',
    holds: 'Colormaps and transfer functions.',
    imports: 'resources/colormaps core/draw core/shared renderer/viewer/model',
  },
  {
    room: 'renderer/viewer/draw',
    holds: 'Slices and rays, drawn into textures and pictures. No page; `stria picture` uses it.',
    imports:
      'core/bricks core/draw core/gpu core/shared core/volume core/volume/resident renderer/viewer/colors renderer/viewer/model shaders/viewer',
    packages: 'three',
  },
  {
    room: 'renderer/viewer/slices',
    holds: 'Slices on canvases: pointer, overlays, measuring.',
    imports: 'core/draw core/gpu core/shared core/volume renderer/viewer/colors renderer/viewer/draw renderer/viewer/model',
  },
  {
    room: 'renderer/viewer/space',
    holds: 'The 3D view: three.js scene, ray layer, frame pacing.',
    imports:
      'core/draw core/gpu core/shared core/volume renderer/viewer/colors renderer/viewer/draw renderer/viewer/model renderer/viewer/slices',
    packages: 'three',
  },
  {
    room: 'renderer/viewer',
    holds: 'The viewer: a class with an observable state. No React.',
    imports:
      'core/bricks core/chunks core/draw core/gpu core/shared core/volume renderer/viewer/colors renderer/viewer/draw renderer/viewer/model renderer/viewer/slices renderer/viewer/space',
  },
  {
    room: 'renderer/playback',
    holds: 'The frame clock, the player, and the axes along which a volume can be played. No React.',
    imports: 'core/shared',
  },
  {
    room: 'renderer/app/state',
    holds: 'The store and the types of its parts.',
    imports:
      'core/bench core/bench/harness core/chunks core/codec core/codecs core/format core/gpu core/io/common core/mesh core/samples core/shared core/stream core/stream/compress core/transforms core/volume core/volume/resident renderer/app/words renderer/host renderer/playback renderer/viewer renderer/viewer/colors renderer/viewer/model',
    packages: 'zustand',
  },
  {
    room: 'renderer/app/words',
    holds: 'Text for display: numbers, units, errors and positions.',
    imports: 'core/chunks core/codec core/codecs core/shared core/stream core/volume renderer/app/view renderer/viewer/model',
  },
  {
    room: 'renderer/app/view',
    holds: 'Windows, presets and opacity curves.',
    imports: 'core/shared core/volume renderer/viewer renderer/viewer/model',
  },
  {
    room: 'renderer/app/gpu',
    holds: 'The life of the GPU device, residency, diagnostics.',
    imports:
      'core/chunks core/format core/gpu core/gpu-chunks core/shared core/volume core/volume/compressed core/volume/resident renderer/app/state renderer/viewer renderer/viewer/model',
  },
  {
    room: 'renderer/app/loading',
    holds: 'Loads files into a volume on the GPU, in a worker.',
    imports:
      'core/bricks core/chunks core/cpu core/format core/gpu core/io core/io/common core/io/label-tables core/io/pictures core/left-out core/remote core/samples core/shared core/stream core/stream/made-levels core/volume core/volume/compressed core/volume/levels core/volume/resident renderer/app/gpu renderer/app/state renderer/app/threads renderer/app/words renderer/host renderer/viewer renderer/viewer/draw renderer/viewer/model',
  },
  {
    room: 'renderer/app/threads',
    holds: 'Web Workers that encode, decode and halve chunks.',
    imports: 'core/cpu core/format core/shared',
  },
  {
    room: 'renderer/app/compress',
    holds: 'Compressing the open volume, and the queue of files.',
    imports:
      'core/chunks core/codec core/codecs core/cpu core/format core/gpu core/gpu-chunks core/shared core/stream/compress core/stream/made-levels core/volume core/volume/compressed core/volume/resident renderer/app/loading renderer/app/state renderer/app/threads renderer/host',
  },
  {
    room: 'renderer/app/measure',
    holds: 'Measurements, the statistics of regions, profiles along lines.',
    imports:
      'core/draw core/shared core/volume core/volume/levels renderer/app/loading renderer/app/state renderer/app/words renderer/viewer/model renderer/viewer/slices',
  },
  {
    room: 'renderer/app/document',
    holds: 'The open document, from loading to closing, and its playback.',
    imports:
      'core/chunks core/codecs core/format core/shared core/stream core/stream/levels core/volume core/volume/compressed renderer/app/compress renderer/app/gpu renderer/app/layers renderer/app/loading renderer/app/measure renderer/app/state renderer/app/words renderer/host renderer/playback renderer/viewer renderer/viewer/model',
  },
  {
    room: 'renderer/app/session',
    holds: 'Session files: reading, checking and writing them. No page; `stria picture` reads them.',
    imports:
      'core/codec core/codecs core/draw core/format core/io/common core/remote core/samples core/shared core/transforms renderer/app/state renderer/playback renderer/viewer/colors renderer/viewer/model',
  },
  {
    room: 'renderer/app/saved',
    holds: 'Saving the open document as a session, and opening sessions.',
    imports:
      'core/format core/shared renderer/app/compress renderer/app/loading renderer/app/measure renderer/app/session renderer/app/state renderer/app/words renderer/host renderer/viewer/model',
  },
  {
    room: 'renderer/app/output',
    holds: 'Pictures, movies, and surfaces as meshes.',
    imports:
      'core/io/pictures core/mesh core/mesh/write core/shared renderer/app/meshes renderer/app/state renderer/app/words renderer/host renderer/viewer renderer/viewer/model',
    packages: 'fflate mediabunny',
  },
  {
    room: 'renderer/app/compare',
    holds: 'A second volume beside the first.',
    imports:
      'core/format core/shared core/stream core/volume/compressed core/volume/resident renderer/app/gpu renderer/app/loading renderer/app/state renderer/app/words renderer/viewer renderer/viewer/model',
  },
  {
    room: 'renderer/app/layers',
    holds: 'Layers over the open volume: loading, freeing, their first look, alignment; the channels of volumes.',
    imports:
      'core/gpu core/shared core/stream core/transforms core/volume core/volume/compressed renderer/app/gpu renderer/app/loading renderer/app/state renderer/host renderer/viewer renderer/viewer/colors renderer/viewer/model',
  },
  {
    room: 'renderer/app/meshes',
    holds: 'Meshes over the open volume: extracting surfaces, reading and opening mesh files, freeing.',
    imports:
      'core/draw core/gpu core/mesh core/mesh/gpu core/mesh/read core/mesh/write core/shared core/volume renderer/app/gpu renderer/app/labels renderer/app/loading renderer/app/state renderer/host renderer/viewer/colors renderer/viewer/model',
  },
  {
    room: 'renderer/app/labels',
    holds: 'Labels of volumes: tables, counts, statistics of images inside them.',
    imports:
      'core/io/label-tables core/shared core/volume renderer/app/measure renderer/app/state renderer/host renderer/viewer/colors renderer/viewer/model',
  },
  {
    room: 'renderer/app/lab',
    holds: 'Benchmarks in the app.',
    imports:
      'bench/results/2026-11-23-epyc-files.json bench/results/2026-11-23-h200-files.json bench/results/2026-11-26-h100-files-512.json core/bench core/bench/harness core/codecs core/gpu core/shared renderer/app/state',
  },
  {
    room: 'renderer/app/opening',
    holds: 'Decides what becomes of files that are opened, dropped, or named by an address.',
    imports:
      'core/io/common core/remote core/shared renderer/app/compare renderer/app/compress renderer/app/document renderer/app/labels renderer/app/layers renderer/app/loading renderer/app/meshes renderer/app/saved renderer/app/session renderer/app/state renderer/host renderer/viewer/model',
  },
  {
    room: 'renderer/app',
    holds: 'The app object, its commands, keys and the test hook.',
    imports:
      'core/codec core/draw core/format core/io/common core/remote core/shared core/transforms renderer/app/compare renderer/app/compress renderer/app/document renderer/app/gpu renderer/app/lab renderer/app/labels renderer/app/layers renderer/app/loading renderer/app/measure renderer/app/meshes renderer/app/opening renderer/app/output renderer/app/saved renderer/app/session renderer/app/state renderer/app/view renderer/app/words renderer/host renderer/playback renderer/viewer renderer/viewer/colors renderer/viewer/model renderer/viewer/space',
  },
  {
    room: 'renderer/panels/hooks',
    holds: 'React hooks: the store, and charts.',
    imports: 'renderer/app renderer/app/state renderer/viewer renderer/viewer/model',
    packages: 'react uplot zustand',
  },
  {
    room: 'renderer/panels/controls',
    holds: 'Buttons, fields and sections.',
    imports: 'core/shared renderer/app/state renderer/app/words renderer/panels/hooks',
    packages: 'lucide-react react react-aria-components',
  },
  {
    room: 'renderer/panels/inspector',
    holds: 'The inspector: compression, and tabs for display, measurements, volume and GPU.',
    imports:
      'core/chunks core/codec core/codecs core/draw core/gpu core/mesh core/shared core/stream core/volume renderer/app renderer/app/labels renderer/app/measure renderer/app/state renderer/app/view renderer/app/words renderer/panels/controls renderer/panels/hooks renderer/viewer renderer/viewer/colors renderer/viewer/model',
    packages: 'lucide-react react react-aria-components uplot',
  },
  {
    room: 'renderer/panels/panes',
    holds: 'Viewports and their overlays, the transport bar, the compare bar.',
    imports:
      'core/draw core/shared core/volume core/volume/resident renderer/app renderer/app/labels renderer/app/state renderer/app/words renderer/panels/controls renderer/panels/hooks renderer/panels/inspector renderer/playback renderer/viewer renderer/viewer/colors renderer/viewer/model',
    packages: 'lucide-react react react-aria-components',
  },
  {
    room: 'renderer/panels/dialogs',
    holds: 'Dialogs and the command palette.',
    imports:
      'core/mesh core/shared core/transforms core/volume/resident renderer/app renderer/app/labels renderer/app/output renderer/app/state renderer/app/view renderer/app/words renderer/host renderer/panels/controls renderer/panels/hooks renderer/panels/inspector renderer/viewer renderer/viewer/colors renderer/viewer/model',
    packages: 'lucide-react react react-aria-components',
  },
  {
    room: 'renderer/panels/lab',
    holds: 'The Lab.',
    imports:
      'core/bench core/bench/harness core/codecs core/gpu core/shared renderer/app/state renderer/app/words renderer/panels/controls renderer/panels/hooks',
    packages: 'lucide-react react uplot',
  },
  {
    room: 'renderer/panels/shell',
    holds: 'The window around the panes: top bar, empty state, loading, queue.',
    imports:
      'resources/introduction core/gpu core/io/common core/samples core/shared renderer/app renderer/app/loading renderer/app/state renderer/app/words renderer/host renderer/panels/controls renderer/panels/dialogs renderer/panels/hooks renderer/panels/inspector renderer/panels/lab renderer/panels/panes renderer/viewer/model',
    packages: 'lucide-react react react-aria-components zustand',
  },
  {
    room: 'fuzz',
    holds: 'The fuzzer: damaged containers and inputs, in a separate process. A tool that is not shipped.',
    imports:
      'cli/outputs core/chunks core/codecs core/cpu core/format core/gpu-chunks core/io core/io/common core/io/dicom core/io/dicom/pixels core/io/hdf5 core/io/label-tables core/io/ome-tiff core/io/pictures core/io/tiff core/io/zarr core/mesh core/mesh/read core/mesh/write core/particles core/particles/formats core/remote core/shared core/stream core/stream/check core/stream/compress core/stream/restore core/transforms node',
    packages: 'fflate node:*',
  },
  {
    room: 'testing',
    holds: 'A GPU and a web server for tests.',
    imports: 'core/gpu node',
    packages: 'node:* vitest',
  },
];
