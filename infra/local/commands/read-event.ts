import { text } from 'node:stream/consumers'
import { Fault } from '../fault.ts'

/** The one argument of a command: an event as JSON, or `-` for standard input; undefined when it is no JSON. */
export async function readEvent(command: string): Promise<unknown> {
  const [argument, ...more] = process.argv.slice(2)
  if (argument === undefined || more.length > 0) {
    throw new Fault(`Use: npm run ${command} -- '<event as JSON>', or - to read it from standard input.`)
  }
  const json = argument === '-' ? await text(process.stdin) : argument
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
