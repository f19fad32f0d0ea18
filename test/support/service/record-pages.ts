import { vi } from 'vitest'
import type { Handler } from '#shared/http/lambda.ts'
import { startPlainProvider } from '#test/fakes/plain-provider.ts'
import { newAccount } from '../accounts/account.ts'
import { insertProvider } from '../accounts/portal-sessions.ts'
import { mailedPasscode } from '../sign-in/mails.ts'
import { insertLocalProvider } from '../sign-in/sign-in.ts'
import { visitPage } from '../sign-in/visit-page.ts'

type Record = <T>(file: string, run: (handler: Handler) => Promise<T>, answer?: () => Response) => Promise<T>

/** Removes the local Lambda endpoint, so that Lambda requests are recorded as on AWS. */
function useAwsEndpoints(): void {
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', '')
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1')
}

/** Records the service's sign-in pages, but not the provider's pages. */
export async function recordPages(record: Record): Promise<void> {
  process.env.ALLOW_INSECURE_PROVIDERS = '1'
  const { id, slug } = await newAccount()
  await insertProvider(id, 'email_otp')
  const fake = await startPlainProvider()
  const provider = await insertLocalProvider(id, fake)
  const query = {
    context: 'client',
    redirect_uri: 'http://127.0.0.1:49152/callback',
    state: 'a state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  }
  const visit = async (file: string, status: number, visited: Omit<Parameters<typeof visitPage>[1], 'slug'>) => {
    const run = (handler: Handler) => {
      useAwsEndpoints()
      return visitPage(handler, { slug, ...visited })
    }
    const response = await record(file, run, () => new Response('{}'))
    if (response.status !== status) throw new Error(`${file} answered ${response.status} ${response.text}`)
    return response
  }
  await visit('public/sign-in-page.ts', 200, { query })
  await visit('public/sign-in-start.ts', 303, { query: { auth_provider_id: provider.id, ...query } })
  const { email, passcode } = await mailedPasscode(id)
  const request = new URLSearchParams(query).toString()
  await visit('public/sign-in-email.ts', 200, { form: { request, email } })
  await visit('public/sign-in-email.ts', 303, { form: { request, email, passcode } })
  await fake.close()
}
