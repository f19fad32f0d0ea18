/** The `metadata` of a change that goes on after its answer (A15.6); a complete one has none. `pending` counts entries. */
export const progress = (pending: number) => (pending > 0 ? { metadata: { pending } } : {})
