import { runByControl } from '#infra/local/control.ts'
import { startService } from '#test/support/service/service.ts'
import { type Walked, walkDirectory } from './walk-directory.ts'
import { openCompany, type WalkedCompany, type WalkedKind, walkedKinds } from './walked-company.ts'

type Options = { people: number; kinds?: readonly WalkedKind[]; say(text: string): void }

type Provisioned = { data: { api_token: { token: string } } }

/** Starts the service with one company for each kind of provider, and walks through each directory in a separate account. */
export async function walkDirectories({
  people,
  kinds = walkedKinds,
  say: printLine,
}: Options): Promise<Record<string, Walked>> {
  const companies: WalkedCompany[] = []
  try {
    for (const kind of kinds) companies.push(await openCompany(kind, people))
    const variables = Object.assign({}, ...companies.map((company) => company.variables))
    const service = await startService({ env: { ALLOW_INSECURE_PROVIDERS: '1', ...variables } })
    try {
      const walked = companies.map(async (company) => {
        const slug = `walk-${company.kind}`
        const event = {
          account: {
            name: 'Company',
            slug,
            limits: { users_count: 1_000_000, api_capacity: 100_000, api_refill_rate: 100_000 },
          },
          admin: { name: 'Ada', email: 'ada@walk.example' },
          token_in: 'answer',
        }
        const { data } = (await runByControl(service.dataDir, 'provision-account', event)) as Provisioned
        const wake = () => void runByControl(service.dataDir, 'sync', {}).catch(() => undefined)
        const { token } = data.api_token
        const walk = { company, baseUrl: service.baseUrl, slug, token, wake, say: printLine }
        return [company.kind, await walkDirectory(walk)] as const
      })
      // Waits for all walks to settle, so that a failed walk does not stop the service while other walks still need it.
      const outcomes = await Promise.allSettled(walked)
      const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      if (failed.length > 0) throw failed[0]
      return Object.fromEntries(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])))
    } finally {
      await service.stop()
    }
  } finally {
    await Promise.all(companies.map((company) => company.close()))
  }
}
