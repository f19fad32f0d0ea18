import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { Fault } from '../fault.ts'

const require = createRequire(import.meta.url)

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function fromPackage(name: string): string | undefined {
  for (const file of ['dynoxide', 'dynoxide.exe']) {
    try {
      return require.resolve(`${name}/${file}`)
    } catch {
      // Not installed on this platform: the next way to find one follows.
    }
  }
}

/** The DynamoDB engine's binary: DYNOXIDE_BIN, then the platform's package, then PATH. */
export function findDynoxide(
  environment: NodeJS.ProcessEnv = process.env,
  platform = `${process.platform}-${process.arch}`,
): string {
  const name = `@dynoxide/${platform}`
  const given = environment.DYNOXIDE_BIN
  if (given) {
    if (isExecutable(given)) return given
    throw new Fault(`DYNOXIDE_BIN names ${given}, which is not an executable file.`)
  }
  const path = fromPackage(name)
  const inPath = (environment.PATH ?? '').split(delimiter).map((folder) => join(folder, 'dynoxide'))
  const found = [...(path ? [path] : []), ...inPath].find(isExecutable)
  if (found) return found
  throw new Fault(
    `No DynamoDB engine for ${platform} was found: install the package ${name} (or put "dynoxide" on PATH, or name it in DYNOXIDE_BIN), or set DYNAMODB_ENDPOINT to DynamoDB Local or another table service.`,
  )
}
