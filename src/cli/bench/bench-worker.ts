// One thread of the benchmark's crew: it keeps its part of a volume and encodes it. The build makes it
// out/main/bench-worker.js.
import { parentPort } from 'node:worker_threads';
import { type CrewMessage, createCrewMember } from '../../core/bench/crew-messages.ts';

const answer = createCrewMember();
parentPort?.on('message', (message: CrewMessage) => parentPort?.postMessage(answer(message)));
