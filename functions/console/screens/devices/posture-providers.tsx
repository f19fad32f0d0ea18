import { type Collection, columnsOf, type Values } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { disabledAtFirst, secretFields, sourceFacts, sourceStates } from '../directories/directories.tsx'
import type { RunSource } from '../runs/run-source.ts'
import { RunsPart } from '../runs/runs-part.tsx'

export const postureSource: RunSource = {
  address: '/posture_providers',
  scope: 'mdm',
  envelope: 'mdm_posture_provider',
  routes: {
    read: 'GET /mdm_posture_providers/{id}',
    update: 'PATCH /mdm_posture_providers/{id}',
    runs: 'GET /mdm_posture_providers/{id}/runs',
    run: 'GET /mdm_posture_providers/{id}/runs/{run_id}',
    changes: 'GET /mdm_posture_providers/{id}/runs/{run_id}/changes',
    preview: 'POST /mdm_posture_providers/{id}/preview',
    sync: 'POST /mdm_posture_providers/{id}/sync',
  },
}

const isTenant = ({ type }: Values): boolean => type === 'tenant'
const isMdm = (values: Values): boolean => !isTenant(values)

/** Sources of the inventory of devices, with their runs (I7). */
export const postureProviders: Collection = {
  noun: 'postureProviders',
  scope: 'mdm',
  address: postureSource.address,
  routes: {
    list: 'GET /mdm_posture_providers',
    read: postureSource.routes.read,
    create: 'POST /mdm_posture_providers',
    update: postureSource.routes.update,
    remove: 'DELETE /mdm_posture_providers/{id}',
  },
  envelope: postureSource.envelope,
  columns: columnsOf<'GET /mdm_posture_providers'>()('name', 'type option', 'synced_at time'),
  facts: [
    { field: 'type', kind: 'option' },
    ...sourceFacts,
    ...columnsOf<'GET /mdm_posture_providers'>()(
      'is_verified flag',
      'subdomain code',
      'region code',
      'tenant_id code',
      'client_id code',
    ),
  ],
  hidesBlank: true,
  filters: [{ name: 'is_disabled', flag: true }],
  fields: [
    { name: 'name', kind: 'text', isRequired: true },
    { name: 'type', kind: 'choice', options: ['mdm', 'tenant'], initial: 'mdm', only: 'create' },
    { name: 'subdomain', kind: 'text', isRequired: true, isShown: isMdm, hint: texts.hints.subdomain },
    { name: 'region', kind: 'choice', options: ['us', 'eu'], initial: 'us', isShown: isMdm },
    ...secretFields('api_token', 'secret', { isShown: isMdm }),
    { name: 'tenant_id', kind: 'text', isRequired: true, isShown: isTenant },
    { name: 'client_id', kind: 'text', isRequired: true, isShown: isTenant },
    ...secretFields('client_secret', 'secret', { isShown: isTenant }),
    disabledAtFirst,
  ],
  states: sourceStates,
  removeHint: texts.hints.postureRemoved,
  counts: [],
  parts: [
    { key: 'runs', noun: 'runs', scope: 'mdm', render: ({ row }) => <RunsPart source={postureSource} row={row} /> },
  ],
}
