/** Maximum number of rows of an export (K5.3). */
export const maxCsvRows = 10_000

/** Matches cells that a spreadsheet would run as a formula (K4.3). */
const formula = /^[=+\-@\t\r]/

const cell = (text: string): string => {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes rows as CSV (RFC 4180) with a byte order mark, without which spreadsheets misread other alphabets. */
export const toCsv = (rows: string[][]): string =>
  `\uFEFF${rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
