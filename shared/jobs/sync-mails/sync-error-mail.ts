import type { AccountRow } from '../../domain/accounts/account.ts'

/** What people call the kinds of things that are synced. */
const kinds: Record<string, string> = {
  suite_directories: 'directory of the workspace suite',
  idp_directories: 'directory of the identity provider',
  tenant_directories: 'directory of the tenant',
  mdm_posture_providers: 'posture provider',
}

type Failing = { name: string; error: string; first_failed_at: string | null }

/** The mail to administrators about a directory or posture provider that an error has disabled (I8.1). */
export function syncErrorMail(
  { name: account, slug }: Pick<AccountRow, 'name' | 'slug'>,
  collection: string,
  { name, error, first_failed_at }: Failing,
) {
  const kind = kinds[collection] ?? collection.replaceAll('_', ' ')
  return {
    subject: `Sync of ${name} has stopped`,
    text: [
      `In the account ${account} (${slug}), the ${kind} "${name}" is disabled, because its runs failed${first_failed_at === null ? '' : ` since ${first_failed_at}`}:`,
      '',
      error,
      '',
      'Nothing is read from it until it is enabled again. Mend what the error names, then enable it: a run starts at once.',
      '',
    ].join('\n'),
  }
}
