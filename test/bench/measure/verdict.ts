/** What a figure says of a goal of the contract. */
export const verdict = (goal: string, isMet: boolean): string => `  C6 ${isMet ? 'met' : 'NOT MET'}: ${goal}\n`
