import { type CrewMessage, createCrewMember } from '../../../core/bench/crew-messages.ts';

// One thread of the benchmark's pool. It holds a part of the volume and encodes it.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<CrewMessage>) => void;
  postMessage(answer: number): void;
};

const answer = createCrewMember();
scope.onmessage = ({ data }) => scope.postMessage(answer(data));
