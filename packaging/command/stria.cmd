@echo off
rem The command "stria" of an installed app. It needs Node: the app itself refuses to run as Node.
where node >nul 2>nul || (
  echo stria: the command needs Node 20.19 or newer, which is not installed here ^(https://nodejs.org^). The app works without it. 1>&2
  exit /b 127
)
setlocal
rem Like v20.19.1.
set "STRIA_NODE_IS_OLD="
for /f "tokens=1,2 delims=v." %%a in ('node --version') do (
  if %%a LSS 20 set "STRIA_NODE_IS_OLD=%%a.%%b"
  if %%a EQU 20 if %%b LSS 19 set "STRIA_NODE_IS_OLD=%%a.%%b"
)
if defined STRIA_NODE_IS_OLD (
  echo stria: the command needs Node 20.19 or newer, and this is Node %STRIA_NODE_IS_OLD% ^(https://nodejs.org^). The app works without it. 1>&2
  exit /b 127
)
node "%~dp0out\main\cli.js" %*
