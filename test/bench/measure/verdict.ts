/** Formats the result of a goal of the contract (C6). */
export const verdict = (goal: string, isMet: boolean): string => `  C6 ${isMet ? 'met' : 'NOT MET'}: ${goal}\n`
