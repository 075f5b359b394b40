@echo off
rem The command "stria" of an installed app. It needs Node: the app itself refuses to run as Node.
where node >nul 2>nul || (
  echo stria: the command needs Node 20.19 or newer, which is not installed here ^(https://nodejs.org^). The app works without it. 1>&2
  exit /b 127
)
node "%~dp0out\main\cli.js" %*
