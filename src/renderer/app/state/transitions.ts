/** The next state after each event, by state. An event that is not listed is ignored in that state. */
export type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;
