/** Returns the number of refused authorizations of the last 24 hours (K11.G5). Null as long as they are not recorded. */
export const refusalsOfLastDay = async (_account: string, _now: number): Promise<number | null> => null
