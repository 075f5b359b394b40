#!/usr/bin/env node
import { main } from './main.ts';
// The command `stria`: out/main/cli.js after a build.
import { endAfterCommand, endProcess } from './terminal/process-end.ts';

endAfterCommand();
endProcess(await main(process.argv.slice(2)));
