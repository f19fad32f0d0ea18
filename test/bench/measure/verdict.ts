/** Formats whether a goal of the contract (C6) is met. */
export const verdict = (goal: string, isMet: boolean): string => `  C6 ${isMet ? 'met' : 'NOT MET'}: ${goal}\n`
