#!/usr/bin/env node
// The command `stria`: out/main/cli.js after a build.
import { main } from './main.ts';

process.exitCode = await main(process.argv.slice(2));
