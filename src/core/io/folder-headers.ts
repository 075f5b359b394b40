export { type FolderHeaders, folderHeaders, giveFolderHeaders } from './dicom/dicom-reader.ts';
