import type { Collection, Column, Field, Row } from '../../collection/collection.ts'
import type { BadgeTone } from '../../parts/controls.tsx'
import { Empty } from '../../parts/states.tsx'
import { texts } from '../../texts/texts.ts'
import type { RunSource } from '../runs/run-source.ts'
import { RunsPart } from '../runs/runs-part.tsx'

export const directoryKinds = ['suite', 'tenant', 'idp'] as const

type DirectoryKind = (typeof directoryKinds)[number]

/** States of a directory or posture provider: why it does not run, or that it is enabled. */
export function sourceStates({ is_disabled, disabled_reason, error }: Row): Array<{ text: string; tone: BadgeTone }> {
  if (is_disabled && disabled_reason === 'sync error') return [{ text: texts.badges.stopped, tone: 'bad' }]
  if (is_disabled && disabled_reason === 'rewound') return [{ text: texts.badges.rewound, tone: 'warn' }]
  if (is_disabled) return [{ text: texts.badges.disabled, tone: 'warn' }]
  return error ? [{ text: texts.badges.failing, tone: 'bad' }] : [{ text: texts.badges.enabled, tone: 'quiet' }]
}

export const directorySource = (kind: DirectoryKind): RunSource => ({
  address: `/directories/${kind}`,
  scope: 'directories',
  envelope: `${kind}_directory`,
  routes: {
    read: `GET /${kind}_directories/{id}`,
    update: `PATCH /${kind}_directories/{id}`,
    runs: `GET /${kind}_directories/{id}/runs`,
    run: `GET /${kind}_directories/{id}/runs/{run_id}`,
    changes: `GET /${kind}_directories/{id}/runs/{run_id}/changes`,
    preview: `POST /${kind}_directories/{id}/preview`,
    sync: `POST /${kind}_directories/{id}/sync`,
    rewind: `POST /${kind}_directories/{id}/runs/{run_id}/rewind`,
  },
})

/** Fields of a secret: required for a new object, and empty in a form that keeps the stored one. */
export const secretFields = (name: string, kind: 'secret' | 'long' = 'secret', more: Partial<Field> = {}): Field[] => [
  { name, kind, isRequired: true, only: 'create', ...more },
  { name, kind, only: 'update', hint: texts.form.keepSecret, ...more },
]

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
export const sourceFacts: Column<Row>[] = [
  { field: 'synced_at', kind: 'time' },
  { field: 'error' },
  { field: 'error_count' },
  { field: 'error_emailed_at', kind: 'time' },
]

/** Declares the details and form of the directories of a kind. */
export function directoriesOf(kind: DirectoryKind): Collection {
  const { address, routes, envelope } = directorySource(kind)
  const path = `/${kind}_directories` as const
  return {
    noun: 'directories',
    scope: 'directories',
    address,
    back: () => '/directories',
    routes: {
      list: `GET ${path}`,
      read: routes.read,
      create: `POST ${path}`,
      update: routes.update,
      remove: `DELETE /${kind}_directories/{id}`,
    },
    envelope,
    columns: [{ field: 'name' }],
    facts: [
      ...sourceFacts,
      { field: 'domains', kind: 'list' },
      { field: 'matches_administrators', kind: 'flag' },
      { field: 'impersonation_email' },
      { field: 'domain', kind: 'code' },
      { field: 'group_sync_mode', kind: 'option' },
      { field: 'tenant_id', kind: 'code' },
      { field: 'idp_domain', kind: 'code' },
      { field: 'client_id', kind: 'code' },
      { field: 'kid', kind: 'code' },
      { field: 'email_field', kind: 'option' },
      { field: 'sync_all_groups', kind: 'flag' },
      { field: 'orgunit_sync_enabled', kind: 'flag' },
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
      {
        key: 'runs',
        noun: 'runs',
        scope: 'directories',
        render: ({ row }) => <RunsPart source={directorySource(kind)} row={row} />,
      },
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
