import { pathToFileURL } from 'node:url'

// Process that loads a function and handles its first request, like a cold start. Prints the CPU milliseconds for loading and for the
// request.
const [file = '', event = ''] = process.argv.slice(2)
const print = process.stdout.write.bind(process.stdout)
process.stdout.write = () => true

const milliseconds = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

const start = process.cpuUsage()
const { handler } = await import(pathToFileURL(file).href)
const imported = milliseconds(start)
const afterImport = process.cpuUsage()
const { statusCode, body } = await handler(JSON.parse(event))
const first = milliseconds(afterImport)
if (!(statusCode < 300)) throw new Error(`The first request was answered ${statusCode}: ${body}`)
print(JSON.stringify([imported, first]))
process.exit()
