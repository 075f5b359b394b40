// electron-vite copies such a file into the build and returns its path.
declare module '*?asset' {
  const path: string;
  export default path;
}
