import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuthProviderRow, authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { getRow } from '#shared/table/read.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { mockAws } from '#test/support/service/mock-aws.ts'
import { beginSignIn, redirectParams, returnFromProvider, signInBy } from '#test/support/sign-in/sign-in.ts'
import { newSubject, signInWorld, useProviderForEveryKind } from '#test/support/sign-in/sign-in-world.ts'

const world = await signInWorld()
const other = await signInWorld({ fake: world.fake })
const { account, fake } = world
useProviderForEveryKind(fake)
const kms = mockAws(KMSClient)
afterEach(() => {
  kms.reset()
})

const namedError = (name: string) => Object.assign(new Error(`${name} of a test`), { name })
const rowOf = async ({ account_id, id }: AuthProviderRow) =>
  (await getRow(authProviders.oidc, account_id, id)) as AuthProviderRow
const store = async (row: AuthProviderRow, client_secret: string) =>
  updateRow(row.account_id, authProviders.oidc, await rowOf(row), { client_secret })
const claims = async () => ({ sub: newSubject(), email: await world.emailOf(), email_verified: true })

const damages: [string, (ownSecret: string, foreign: string) => string][] = [
  ['of another provider', (_own, foreign) => foreign],
  [
    'with the data key of another provider',
    (ownSecret, foreign) => [foreign.split('.')[0], ...ownSecret.split('.').slice(1)].join('.'),
  ],
  ['without its data key', (ownSecret) => `.${ownSecret.split('.').slice(1).join('.')}`],
  ['with half of its data key', (ownSecret) => ownSecret.slice(20)],
  ['without its text', (ownSecret) => ownSecret.split('.')[0] ?? ''],
  ['with a short text', (ownSecret) => ownSecret.replace(/\.[^.]{24}/, '.')],
  ['that ends within its hash', (ownSecret) => ownSecret.slice(0, ownSecret.lastIndexOf('$') - 5)],
  ['that is empty', () => '.'],
]

describe.each([
  ['the same account', () => world.newProvider()],
  ['another account', () => other.newProvider()],
])('a stored secret and one of %s', (_name, makeForeign) => {
  it.each(damages)(
    'is never sent to the provider when it is replaced by one %s, until it is entered again',
    async (name, damage) => {
      const [ownSecret, foreign] = [await world.newProvider(), await makeForeign()]
      await store(ownSecret, damage(String(ownSecret.client_secret), String(foreign.client_secret)))
      fake.requests.length = 0
      const log = catchLog('DEBUG')
      const { error, back } = await signInBy(fake, ownSecret, account.slug, await claims())
      if (name !== 'that ends within its hash') {
        expect([back.status, error]).toEqual([303, 'server_error'])
        expect(fake.requests).not.toContain('token')
      }
      expect(log.text()).not.toContain(fake.secret)
      vi.restoreAllMocks()
      const answer = await providers.oidc.update(account, ownSecret.id, { client_secret: fake.secret })
      expect([answer.status, answer.body.code]).toEqual([200, undefined])
      expect((await signInBy(fake, ownSecret, account.slug, await claims())).redeemed?.status).toBe(201)
    },
  )
})

it.each(['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException', 'ThrottlingException'])(
  'a sign-in returns 503 while KMS returns %s, logs it, and succeeds later',
  async (failure) => {
    const provider = await world.newProvider()
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('SECRET_KEY_ARN', 'arn:key')
    const file = String(process.env.SECRET_KEY_FILE)
    vi.stubEnv('SECRET_KEY_FILE', '')
    kms.on(DecryptCommand).rejects(namedError(failure))
    const log = catchLog('WARN')
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    const back = await returnFromProvider(begun, {
      state: begun.providerState,
      code: fake.codeFor(begun.url, await claims(), null),
    })
    expect([back.status, redirectParams(back)]).toEqual([503, {}])
    expect(back.text).toContain('Start it again')
    const lines = log.lines().filter(({ event }) => event === 'secret_key_failed')
    expect(lines).toEqual([expect.objectContaining({ level: 'ERROR', error: failure })])
    for (const text of [log.text(), back.text])
      for (const hidden of [fake.secret, String(provider.client_secret), begun.providerState, begun.verifier])
        expect(text).not.toContain(hidden)
    expect(fake.requests).not.toContain('token')
    vi.restoreAllMocks()
    vi.stubEnv('SECRET_KEY_FILE', file)
    expect((await signInBy(fake, provider, account.slug, await claims())).redeemed?.status).toBe(201)
  },
)

it('a callback decrypts only with the encryption context of its own provider', async () => {
  const provider = await world.newProvider()
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('SECRET_KEY_ARN', 'arn:key')
  vi.stubEnv('SECRET_KEY_FILE', '')
  kms.on(DecryptCommand).rejects(namedError('InvalidCiphertextException'))
  const { error } = await signInBy(fake, provider, account.slug, await claims())
  expect(error).toBe('server_error')
  expect(kms.commandCalls(DecryptCommand).map(({ args }) => args[0].input)).toEqual([
    expect.objectContaining({ KeyId: 'arn:key', EncryptionContext: { account: account.id, object: provider.id } }),
  ])
})
