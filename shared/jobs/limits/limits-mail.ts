import type { AccountRow } from '../../domain/accounts/account.ts'

type Exceeded = { name: string; used: number; total: number }

/** The mail to administrators about the limits that their account exceeds (I8.2). */
export function limitsMail({ name, slug }: Pick<AccountRow, 'name' | 'slug'>, exceeded: Exceeded[]) {
  const lines = exceeded.map((limit) => `- ${limit.name.replaceAll('_', ' ')}: ${limit.used} of ${limit.total}`)
  const blocked = exceeded.some(({ name }) => name === 'users' || name === 'service_accounts')
  return {
    subject: 'Your network access account is above its limits',
    text: [
      `The account ${name} (${slug}) uses more than it may:`,
      '',
      ...lines,
      '',
      ...(blocked
        ? ['While users or service accounts are above their limit, their clients cannot start new sessions.', '']
        : []),
      'Disable or delete what is not needed any more, or ask the operator of the service for higher limits.',
      '',
    ].join('\n'),
  }
}
