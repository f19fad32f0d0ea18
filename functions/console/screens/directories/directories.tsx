import {
  type Collection,
  type Field,
  objectRoutes,
  type Row,
  type State,
  secretFields,
  switchState,
  toColumns,
} from '../../collection/collection.ts'
import { Empty } from '../../parts/states.tsx'
import { texts } from '../../texts/texts.ts'
import { type RunSource, runRoutes } from '../runs/run-source.ts'
import { runsOf } from '../runs/runs-part.tsx'

export const directoryKinds = ['suite', 'tenant', 'idp'] as const

type DirectoryKind = (typeof directoryKinds)[number]

/** States of a directory or posture provider: why it does not run, or that it is enabled. */
export function sourceStates({ is_disabled, disabled_reason, error }: Row): State[] {
  if (is_disabled && disabled_reason === 'sync error') return [{ text: texts.badges.stopped, tone: 'bad' }]
  if (is_disabled && disabled_reason === 'rewound') return [{ text: texts.badges.rewound, tone: 'warn' }]
  return error && !is_disabled ? [{ text: texts.badges.failing, tone: 'bad' }] : [switchState(is_disabled)]
}

export const directorySource = (kind: DirectoryKind): RunSource => ({
  address: `/directories/${kind}`,
  scope: 'directories',
  envelope: `${kind}_directory`,
  routes: { ...runRoutes(`/${kind}_directories`), rewind: `POST /${kind}_directories/{id}/runs/{run_id}/rewind` },
})

/** Field of a new source, which starts disabled so that its first run can be previewed. */
export const disabledAtFirst: Field = {
  name: 'is_disabled',
  kind: 'flag',
  initial: true,
  only: 'create',
  hint: texts.hints.previewFirst,
}

/** Fields that only directories of a kind have (A26.1). */
const ownFields: Record<DirectoryKind, Field[]> = {
  suite: [
    { name: 'impersonation_email', kind: 'text', isRequired: true, hint: texts.hints.impersonation },
    ...secretFields('service_account_key', 'long'),
    { name: 'domain', kind: 'text', hint: texts.hints.suiteDomain },
    { name: 'group_sync_mode', kind: 'choice', options: ['all', 'filtered', 'disabled'], initial: 'all' },
    { name: 'orgunit_sync_enabled', kind: 'flag', initial: false },
  ],
  tenant: [
    { name: 'tenant_id', kind: 'text', isRequired: true },
    { name: 'client_id', kind: 'text', isRequired: true },
    ...secretFields('client_secret'),
    { name: 'email_field', kind: 'choice', options: ['userPrincipalName', 'mail'], initial: 'userPrincipalName' },
    { name: 'sync_all_groups', kind: 'flag', initial: false, hint: texts.hints.allGroups },
  ],
  idp: [
    { name: 'idp_domain', kind: 'text', isRequired: true },
    { name: 'client_id', kind: 'text', isRequired: true, hint: texts.hints.jwks },
  ],
}

/** Facts of a posture provider or a directory about its runs. */
export const sourceFacts = toColumns('synced_at time, error, error_count, error_emailed_at time')

/** Declares the details and form of the directories of a kind. */
export function directoriesOf(kind: DirectoryKind): Collection {
  const source = directorySource(kind)
  const path = `/${kind}_directories` as const
  return {
    noun: 'directories',
    scope: 'directories',
    address: source.address,
    back: () => '/directories',
    routes: objectRoutes(path),
    envelope: source.envelope,
    columns: [{ field: 'name' }],
    facts: [
      ...sourceFacts,
      ...toColumns(
        'domains list, matches_administrators flag, impersonation_email, domain code, group_sync_mode option',
        'tenant_id code, idp_domain code, client_id code, kid code, email_field option, sync_all_groups flag',
        'orgunit_sync_enabled flag',
      ),
    ],
    hidesBlank: true,
    fields: [
      { name: 'name', kind: 'text', isRequired: true },
      ...ownFields[kind],
      { name: 'domains', kind: 'lines', hint: texts.hints.directoryDomains, decidesAccess: true },
      { name: 'matches_administrators', kind: 'flag', only: 'update', decidesAccess: true },
      disabledAtFirst,
    ],
    states: sourceStates,
    typesName: true,
    removeHint: texts.hints.directoryRemoved,
    parts: [
      runsOf(source),
      {
        key: 'key',
        label: texts.labels.publicKey,
        noun: 'directories',
        scope: 'directories',
        isShown: () => kind === 'idp',
        render: ({ row }) => (
          <Empty title={texts.labels.publicKey} action={<code>{`${location.origin}${path}/${row.id}/jwks`}</code>}>
            {texts.hints.publicKey}
          </Empty>
        ),
      },
    ],
  }
}
