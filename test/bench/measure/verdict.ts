/** Formats whether a goal in a section of the contract, such as C6, is met. */
export const verdict = (section: string, goal: string, isMet: boolean): string =>
  `  ${section} ${isMet ? 'met' : 'NOT MET'}: ${goal}\n`
