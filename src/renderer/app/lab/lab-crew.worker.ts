import { type CrewMessage, createCrewMember } from '../../../core/bench/crew-messages.ts';

// One thread of the benchmark's pool, which keeps its part of a volume and encodes it.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<CrewMessage>) => void;
  postMessage(answer: number): void;
};

const answer = createCrewMember();
scope.onmessage = ({ data }) => scope.postMessage(answer(data));
