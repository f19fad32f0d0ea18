import type { Row } from '../../collection/collection.ts'
import { ChangeList } from '../../logs/change-list.tsx'
import type { Activity, Change } from '../../logs/entries.ts'
import { type Log, LogScreen } from '../../logs/log-screen.tsx'
import { texts } from '../../texts/texts.ts'

const changes: Log = {
  noun: 'changes',
  address: '/changes',
  list: 'GET /logs',
  query: { type: 'change', total_limit: 0 },
  filters: [
    { name: 'actor', sends: 'actor_id', to: 'actors' },
    { name: 'actor_email' },
    { name: 'object', options: texts.logs.objects },
    { name: 'operation', options: ['insert', 'update', 'delete'] },
    { name: 'object_id' },
    { name: 'run_id' },
  ],
  columns: [
    ...['log_id', 'timestamp', 'actor_name', 'actor_email', 'ip', 'operation', 'object', 'object_id'],
    ...['before', 'after', 'run_id'],
  ].map((field) => ({ field })),
  toRow: (change: Change) => ({
    ...change.subject,
    ...change,
    id: change.log_id,
    object_id: (change.after ?? change.before)?.id,
  }),
  Rows: ({ rows }: { rows: Row[] }) => <ChangeList changes={rows as unknown as Change[]} />,
  exportType: 'change',
  hint: texts.logs.changesHint,
}

const toActivityRow = (entry: Activity): Row => ({
  id: entry.log_id,
  ...('subject' in entry ? entry.subject : undefined),
  ...entry,
})

const actorFilter = { name: 'actor', sends: 'actor_id', to: 'actors' } as const

const sessions: Log = {
  noun: 'sessions',
  address: '/sessions',
  list: 'GET /logs',
  query: { type: 'session', total_limit: 0 },
  filters: [actorFilter, { name: 'actor_email' }],
  columns: [
    { field: 'timestamp', kind: 'instant' },
    { field: 'context', kind: 'option' },
    { field: 'actor_name' },
    { field: 'gateway_id', to: 'gateways', minor: true },
    { field: 'ip', kind: 'code' },
    { field: 'ip_region' },
    { field: 'user_agent', minor: true },
  ],
  toRow: toActivityRow,
  opens: ({ id }) => `/sessions/${id}`,
  exportType: 'session',
  hint: texts.logs.sessionsHint,
}

const requests: Log = {
  noun: 'requests',
  address: '/requests',
  list: 'GET /logs',
  query: { type: 'api_request', total_limit: 0 },
  filters: [actorFilter],
  columns: [
    { field: 'timestamp', kind: 'instant' },
    { field: 'method', kind: 'code' },
    { field: 'path', kind: 'code' },
    { field: 'actor_id', to: 'actors' },
    { field: 'ip', kind: 'code' },
    { field: 'ip_region', minor: true },
    { field: 'user_agent', minor: true },
  ],
  toRow: toActivityRow,
  opens: ({ id }) => `/requests/${id}`,
  exportType: 'api_request',
  hint: texts.logs.requestsHint,
}

export const ChangesScreen = () => <LogScreen log={changes} />
export const SessionsScreen = () => <LogScreen log={sessions} />
export const RequestsScreen = () => <LogScreen log={requests} />
