import { type Row, toColumns } from '../../collection/collection.ts'
import { ChangeList } from '../../logs/change-list.tsx'
import type { Activity, Change } from '../../logs/entries.ts'
import { type Log, LogScreen } from '../../logs/log-screen.tsx'
import { type Noun, texts } from '../../texts/texts.ts'

/** Members that the streams of the audit log share, without flows. */
const streamOf = (noun: Noun, type: 'change' | 'session' | 'api_request') =>
  ({
    noun,
    list: 'GET /logs',
    query: { type, total_limit: 0 },
    exportType: type,
    opens: ({ id }: Row) => `/${noun}/${id}`,
  }) as const

const actorFilter = { name: 'actor', sends: 'actor_id', to: 'actors' } as const

const changes: Log = {
  ...streamOf('changes', 'change'),
  filters: [
    actorFilter,
    { name: 'actor_email' },
    { name: 'object', options: texts.logs.objects },
    { name: 'operation', options: ['insert', 'update', 'delete'] },
    { name: 'object_id' },
    { name: 'run_id' },
  ],
  columns: toColumns(
    'log_id, timestamp, actor_name, actor_email, ip, operation, object, object_id, before, after, run_id',
  ),
  toRow: (change: Change) => ({
    ...change.subject,
    ...change,
    id: change.log_id,
    object_id: (change.after ?? change.before)?.id,
  }),
  Rows: ({ rows }: { rows: Row[] }) => <ChangeList changes={rows as unknown as Change[]} />,
  hint: texts.logs.changesHint,
}

const toActivityRow = (entry: Activity): Row => ({
  id: entry.log_id,
  ...('subject' in entry ? entry.subject : undefined),
  ...entry,
})

const sessions: Log = {
  ...streamOf('sessions', 'session'),
  filters: [actorFilter, { name: 'actor_email' }],
  columns: toColumns(
    'timestamp instant, context option, actor_name, gateway_id @gateways minor, ip code, ip_region, user_agent minor',
  ),
  toRow: toActivityRow,
  hint: texts.logs.sessionsHint,
}

const requests: Log = {
  ...streamOf('requests', 'api_request'),
  filters: [actorFilter],
  columns: toColumns(
    'timestamp instant, method code, path code, actor_id @actors, ip code, ip_region minor, user_agent minor',
  ),
  toRow: toActivityRow,
  hint: texts.logs.requestsHint,
}

export const ChangesScreen = () => <LogScreen log={changes} />
export const SessionsScreen = () => <LogScreen log={sessions} />
export const RequestsScreen = () => <LogScreen log={requests} />
