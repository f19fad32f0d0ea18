/**
 * Folds the case of ASCII letters, by which emails and domains are compared. Unicode's folding makes different addresses
 * equal: U+212A (the Kelvin sign) becomes `k`.
 */
export const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
