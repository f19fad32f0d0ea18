import { takePictures } from './take-pictures.ts'
import { walkDirectories } from './walk-directories.ts'

const usage = 'Use: npm run walk -- console, or npm run walk -- directories [people]'

const [what, count = '60'] = process.argv.slice(2)
if (what === 'console') {
  await takePictures()
  process.exit()
}
const people = Number(count)
if (what !== 'directories' || !Number.isInteger(people) || people < 40) {
  process.stderr.write(`${usage}, at least 40 of them\n`)
  process.exit(2)
}
const printLine = (text: string) => process.stdout.write(`${text}\n`)
try {
  const walked = await walkDirectories({ people, say: printLine })
  const late = Object.entries(walked).filter(([, { lostAccessMs }]) => lostAccessMs > 1_000)
  for (const [kind, { lostAccessMs }] of late) printLine(`${kind}: access was lost only after ${lostAccessMs} ms`)
  process.exitCode = late.length > 0 ? 1 : 0
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  process.exitCode = 1
}
process.exit()
