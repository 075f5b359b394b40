; 'Open with' for the formats that Stria reads, without becoming their default. electron-builder registers .stria and .stria-session.
!macro supportedType ENDING
  WriteRegStr SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\SupportedTypes" ".${ENDING}" ""
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  !insertmacro supportedType "nii"
  !insertmacro supportedType "hdr"
  !insertmacro supportedType "img"
  !insertmacro supportedType "gz"
  !insertmacro supportedType "nrrd"
  !insertmacro supportedType "nhdr"
  !insertmacro supportedType "mha"
  !insertmacro supportedType "mhd"
  !insertmacro supportedType "mgh"
  !insertmacro supportedType "mgz"
  !insertmacro supportedType "mrc"
  !insertmacro supportedType "vti"
  !insertmacro supportedType "npy"
  !insertmacro supportedType "dcm"
  !insertmacro supportedType "h5"
  !insertmacro supportedType "hdf5"
  !insertmacro supportedType "png"
  !insertmacro supportedType "tif"
  !insertmacro supportedType "tiff"
!macroend

!macro customUnInstall
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
!macroend
