import { readJson } from '../data-dir.ts'
import { credentialsFile } from '../demo-account.ts'
import { Fault } from '../fault.ts'
import { connectDemoAccount } from './connect-demo-account.ts'
import { demoClient } from './demo-client.ts'
import { type DemoDirectory, startDemoDirectory } from './demo-directory.ts'
import { demoPeople, type Person } from './people.ts'

/** The provider that runs beside the service, and the account whose people sign in with it. */
export type DemoSignIn = {
  issuer: string
  slug: string
  people: Person[]
  directory: DemoDirectory & { id: string }
  stop(): Promise<void>
}

type Options = { dir: string; baseUrl: string; port: number; directory: DemoDirectory }

/** The providers are on this machine, so the service has to be allowed to ask them (I1.2), and told where its directory is. */
export function prepareDemoSignIn(): Promise<DemoDirectory> {
  process.env.ALLOW_INSECURE_PROVIDERS = '1'
  return startDemoDirectory(Object.values(demoPeople))
}

/** @throws Fault where the provider's package is not there, its port is taken, or the account cannot be prepared */
export async function demoSignIn({ dir, baseUrl, port, directory }: Options): Promise<DemoSignIn> {
  const { startDemoIdp } = await import('./start-demo-idp.ts').catch((error: Error) => {
    throw new Fault(`--demo-idp needs the packages of development; npm ci installs them (${error.message}).`)
  })
  const people = Object.values(demoPeople)
  const { client, isNew } = demoClient(dir)
  const idp = await startDemoIdp({ port, client, people })
  try {
    const token = readJson<{ api_token: string }>(credentialsFile(dir))?.api_token ?? ''
    const { connection } = directory
    const {
      slug,
      callbackUri,
      directoryId: id,
    } = await connectDemoAccount({
      baseUrl,
      token,
      issuer: idp.issuer,
      client,
      isNew,
      connection,
    })
    await idp.leadBackTo(callbackUri)
    return { issuer: idp.issuer, stop: idp.stop, slug, people, directory: { ...directory, id } }
  } catch (error) {
    await idp.stop()
    throw error
  }
}
