import { readJson } from '../data-dir.ts'
import { credentialsFile } from '../demo-account.ts'
import { Fault } from '../fault.ts'
import { connectDemoAccount } from './connect-demo-account.ts'
import { demoClient } from './demo-client.ts'
import { demoPeople, type Person } from './people.ts'

/** The provider that runs beside the service, and the account whose people sign in with it. */
export type DemoSignIn = { issuer: string; slug: string; people: Person[]; stop(): Promise<void> }

type Options = { dir: string; baseUrl: string; port: number }

/** The provider is on this machine, so the service has to be allowed to ask it (I1.2). */
export function prepareDemoSignIn(): void {
  process.env.ALLOW_INSECURE_PROVIDERS = '1'
}

/** @throws Fault where the provider's package is not there, its port is taken, or the account cannot be prepared */
export async function demoSignIn({ dir, baseUrl, port }: Options): Promise<DemoSignIn> {
  const { startDemoIdp } = await import('./start-demo-idp.ts').catch((error: Error) => {
    throw new Fault(`--demo-idp needs the packages of development; npm ci installs them (${error.message}).`)
  })
  const people = Object.values(demoPeople)
  const client = demoClient(dir)
  const redirect_uri = `${baseUrl}/sign_in/callback`
  const idp = await startDemoIdp({ port, client: { ...client, redirect_uri }, people })
  try {
    const token = readJson<{ api_token: string }>(credentialsFile(dir))?.api_token ?? ''
    const { slug } = await connectDemoAccount({ baseUrl, token, issuer: idp.issuer, client })
    return { ...idp, slug, people }
  } catch (error) {
    await idp.stop()
    throw error
  }
}
