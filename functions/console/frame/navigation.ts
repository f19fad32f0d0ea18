import type { IconName } from '../parts/icons.tsx'
import { texts } from '../texts/texts.ts'

type Entry = { path: string; label: string; icon: IconName; scope?: string; key?: string }

type Section = { label: string | null; entries: Entry[] }

const entry = (
  name: Exclude<IconName, 'overview' | 'settings' | 'access'>,
  scope: string,
  more: Partial<Entry> = {},
): Entry => ({ path: `/${name}`, label: texts.many(name as 'resources'), icon: name, scope, ...more })

/** Sections of the navigation. */
export const navigation: Section[] = [
  { label: null, entries: [{ path: '/', label: texts.overview.title, icon: 'overview', key: 'o' }] },
  {
    label: texts.sections.access,
    entries: [
      { path: '/access', label: texts.explorer.title, icon: 'access', scope: 'policies', key: 'x' },
      entry('resources', 'resources', { key: 'r' }),
      entry('policies', 'policies', { key: 'p' }),
      entry('groups', 'groups', { key: 'g' }),
      entry('actors', 'actors', { key: 'a' }),
    ],
  },
  {
    label: texts.sections.network,
    entries: [
      entry('sites', 'sites', { key: 's' }),
      entry('gateways', 'gateways'),
      entry('clients', 'clients', { key: 'c' }),
    ],
  },
  {
    label: texts.sections.logs,
    entries: [
      entry('flows', 'logs', { key: 'f' }),
      entry('refusals', 'logs'),
      entry('changes', 'logs', { key: 'h' }),
      entry('sessions', 'logs'),
      entry('requests', 'logs'),
    ],
  },
  {
    label: texts.sections.identity,
    entries: [
      entry('providers', 'providers'),
      entry('directories', 'directories'),
      entry('devices', 'mdm'),
      { path: '/posture_providers', label: texts.many('postureProviders'), icon: 'postureProviders', scope: 'mdm' },
    ],
  },
  {
    label: texts.sections.administration,
    entries: [
      entry('tokens', 'actors', { key: 't' }),
      { path: '/settings', label: texts.settings.title, icon: 'settings' },
    ],
  },
]
