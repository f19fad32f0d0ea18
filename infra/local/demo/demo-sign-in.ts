import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readJson, writeAtomically } from '../files/data-dir.ts'
import { StartupError } from '../files/fault.ts'
import { connectDemoAccount } from './connect-demo-account.ts'
import { credentialsFile } from './demo-account.ts'
import { type DemoDirectory, demoPeople, type Person, startDemoDirectory } from './demo-directory.ts'
import type { DemoClient } from './demo-provider.ts'

export type DemoSignIn = {
  issuer: string
  slug: string
  people: Person[]
  directory: DemoDirectory & { id: string }
  stop(): Promise<void>
}

type Options = { dir: string; baseUrl: string; port: number; directory: DemoDirectory }

/** Allows the service to query local providers (I1.2), and starts the demo directory. */
export function prepareDemoSignIn(): Promise<DemoDirectory> {
  process.env.ALLOW_INSECURE_PROVIDERS = '1'
  return startDemoDirectory(Object.values(demoPeople))
}

/**
 * Starts the demo provider and connects the demo account to it.
 * @throws StartupError if either fails
 */
export async function demoSignIn({ dir, baseUrl, port, directory }: Options): Promise<DemoSignIn> {
  const { startDemoIdp } = await import('./start-demo-idp.ts').catch((error: Error) => {
    throw new StartupError(`--demo-idp requires the development packages. Install them with npm ci (${error.message}).`)
  })
  const people = Object.values(demoPeople)
  const { client, isNew } = demoClient(dir)
  const idp = await startDemoIdp({ port, client, people })
  try {
    const token = readJson<{ api_token: string }>(credentialsFile(dir))?.api_token ?? ''
    const { connection } = directory
    const demoAccount = await connectDemoAccount({ baseUrl, token, issuer: idp.issuer, client, isNew, connection })
    const { slug, callbackUri, directoryId: id } = demoAccount
    await idp.setRedirectUri(callbackUri)
    return { issuer: idp.issuer, stop: idp.stop, slug, people, directory: { ...directory, id } }
  } catch (error) {
    await idp.stop()
    throw error
  }
}

/**
 * Reads the service's client credentials from the data directory. Creates new ones if their file is missing or damaged. If `isNew` is true,
 * the account's provider row has to be updated.
 */
function demoClient(dir: string): { client: DemoClient; isNew: boolean } {
  const file = join(dir, 'demo-idp.json')
  const storedClient = readJson<DemoClient>(file)
  if (storedClient?.client_id && storedClient.client_secret) return { client: storedClient, isNew: false }
  const newClient = { client_id: 'network-access', client_secret: randomBytes(32).toString('base64url') }
  writeAtomically(file, `${JSON.stringify(newClient, null, 2)}\n`)
  return { client: newClient, isNew: true }
}
