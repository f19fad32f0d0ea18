import { createInterface } from 'node:readline/promises'
import { mark } from './leftovers.ts'
import { SkippedStep, SmokeFailure } from './report.ts'
import { type CreatedObject, createCaller, type SmokeRun } from './run.ts'

type Provider = { id: string; is_disabled: boolean; context: string; domains: string[] | null }

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

const providers = '/email_otp_auth_providers'

/**
 * Checks that a new actor with this address could sign in with a passcode.
 * @throws SmokeFailure if a sign-in would not be possible
 */
export async function checkPasscodeEmail({ api }: Pick<SmokeRun, 'api'>, email: string): Promise<void> {
  const [actor] = await api.list<CreatedObject>('/actors', { email, limit: '1' })
  if (actor && actor.name !== mark)
    throw new SmokeFailure(
      `--passcode-email: ${email} belongs to the actor ${actor.name}. Use an address that belongs to no actor, such as name+smoke@…`,
    )
  const [provider] = await api.list<Provider>(providers, { limit: '1' })
  if (!provider) return
  const { is_disabled, context, domains } = provider
  const excludes = domains !== null && !domains.includes(domainOf(email))
  if (is_disabled || context === 'portal_only' || excludes)
    throw new SmokeFailure(
      `--passcode-email: the account's email_otp provider is disabled, allows only the portal, or does not allow ${domainOf(email)}.`,
    )
}

/** Lifetime of a passcode (I2.5). */
const passcodeMs = 900_000
const attempts = 3

/** Reads passcodes from standard input, line by line. Does not use raw mode, so that Ctrl-C still sends a signal. */
async function readPasscodes<T>(stop: AbortSignal, use: (next: () => Promise<string>) => Promise<T>): Promise<T> {
  const input = createInterface({ input: process.stdin, terminal: false })
  const lines = input[Symbol.asyncIterator]()
  const end = Promise.withResolvers<never>()
  end.promise.catch(() => undefined)
  const onAbort = () => end.reject(stop.reason)
  stop.addEventListener('abort', onAbort)
  const timer = setTimeout(() => end.reject(new Error('no passcode was entered within 15 minutes')), passcodeMs)
  try {
    return await use(async () => {
      const { value, done } = await Promise.race([lines.next(), end.promise])
      const passcode = done ? '' : value.trim()
      if (passcode === '') throw new Error('no passcode was entered')
      return passcode
    })
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', onAbort)
    input.close()
  }
}

export async function signIn({ api, report, stop, account, options }: SmokeRun): Promise<void> {
  await report.step('sign-in', async () => {
    const { passcodeEmail: email, baseUrl } = options
    if (email === undefined) throw new SkippedStep('no --passcode-email given')
    const [provider] = await api.list<Provider>(providers, { limit: '1' })
    const email_otp_auth_provider = { name: mark, context: 'clients_only', domains: [domainOf(email)] }
    if (!provider) await api.create(providers, { email_otp_auth_provider })
    const actor = { name: mark, type: 'account_user', email, allow_email_otp_sign_in: true }
    await api.create('/actors', { actor })

    const anonymous = createCaller(baseUrl)
    const path = `/sign_in/${account.slug}/email_otp`
    const sign_in = { email, context: 'client' }
    await anonymous.request('POST', path, { sign_in })
    const { token } = await readPasscodes(stop, async (next) => {
      for (let attempt = 1; ; attempt++) {
        process.stderr.write(`A passcode was mailed to ${email}. Enter it, or press Enter to skip: `)
        const verify = { sign_in: { ...sign_in, passcode: await next() } }
        try {
          return await anonymous.request<{ token: string }>('POST', `${path}/verify`, verify)
        } catch (error) {
          if (attempt === attempts) throw error
          process.stderr.write(`${(error as Error).message}\n`)
        }
      }
    })
    const session = { svc_id: 'smoke', public_key: Buffer.alloc(32, 1).toString('base64'), version: '1.4.0' }
    await createCaller(baseUrl, token).request('POST', '/client/sessions', { session })
    return ['a mailed passcode returned a client token, which started a session', undefined]
  })
}
