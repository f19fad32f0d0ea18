/** A variable that Lambda or the local runner sets. @throws Error when it is missing */
export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is missing.`)
  return value
}
