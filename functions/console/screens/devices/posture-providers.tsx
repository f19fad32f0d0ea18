import { type Collection, columnsOf, objectRoutes, secretFields, type Values } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { disabledAtFirst, sourceFacts, sourceStates } from '../directories/directories.tsx'
import { type RunSource, runRoutes } from '../runs/run-source.ts'
import { runsOf } from '../runs/runs-part.tsx'

export const postureSource: RunSource = {
  address: '/posture_providers',
  scope: 'mdm',
  envelope: 'mdm_posture_provider',
  routes: runRoutes('/mdm_posture_providers'),
}

const isTenant = ({ type }: Values): boolean => type === 'tenant'
const isMdm = (values: Values): boolean => !isTenant(values)

/** Sources of the inventory of devices, with their runs (I7). */
export const postureProviders: Collection = {
  noun: 'postureProviders',
  scope: 'mdm',
  address: postureSource.address,
  routes: objectRoutes('/mdm_posture_providers'),
  envelope: postureSource.envelope,
  columns: columnsOf<'GET /mdm_posture_providers'>()('name, type option, synced_at time'),
  facts: [
    { field: 'type', kind: 'option' },
    ...sourceFacts,
    ...columnsOf<'GET /mdm_posture_providers'>()(
      'is_verified flag, subdomain code, region code, tenant_id code, client_id code',
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
  parts: [runsOf(postureSource)],
}
