import { useState } from 'react'
import { useParams } from 'wouter'
import { writeExact } from '../client/exact-json.ts'
import { useRead } from '../client/queries.ts'
import { Facts } from '../collection/facts.tsx'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { PageHeader, usePageTitle } from '../parts/page.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { Empty, ReadState } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { ProofPart } from '../proof/proof-part.tsx'
import { authorizationsOf } from '../screens/authorizations/authorizations.tsx'
import { clients } from '../screens/clients/clients.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'
import { ChangeLinks, Differences, Sentence } from './change-list.tsx'
import { commitSegments } from './change-words.ts'
import { type Change, type Entry, entryAddress, streamAddresses, timeOf } from './entries.ts'
import { useLogNames } from './log-names.ts'
import { columnOf } from './objects.ts'

/** Fields of an entry that the page shows in other places. */
const shownElsewhere = ['type', 'log_id', 'subject', 'actor_id', 'before', 'after', 'truncated']

/** Fields whose values have words in the catalogue. */
const options = ['actor_type', 'object', 'operation', 'context', 'role', 'protocol']

function EntryFacts({ entry }: { entry: Entry }) {
  const fields = { ...('subject' in entry ? entry.subject : undefined), ...entry }
  const facts = Object.entries(fields)
    .filter(([field]) => !shownElsewhere.includes(field))
    .map(([field, value]) =>
      options.includes(field) ? ({ field, kind: 'option' } as const) : columnOf(entry.type, field, value),
    )
  const row = { ...fields, id: entry.log_id, actor: 'actor_id' in fields ? fields.actor_id : null }
  return <Facts collection={{ facts: [{ field: 'actor', to: 'actors' }, ...facts], hidesBlank: true }} row={row} />
}

function ChangeBody({ change }: { change: Change }) {
  const names = useLogNames([change])
  return (
    <>
      <p className="lead">
        <Sentence segments={commitSegments([change], names)} />
      </p>
      <Differences change={change} names={names} />
      <ChangeLinks change={change} isEntry />
    </>
  )
}

/** Shows an entry as the service returns it. A key opens it, too (K9.2). */
function RawEntry({ entry }: { entry: Entry }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section>
      <span data-shortcut="raw">
        <ActionButton onPress={() => setOpen(!isOpen)}>{isOpen ? texts.logs.hideRaw : texts.logs.showRaw}</ActionButton>
      </span>
      {isOpen && (
        <pre className="raw">
          <code>
            {writeExact(entry)
              .split('\n')
              .map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no identity
                <span key={index}>
                  <ShownText text={line} />
                </span>
              ))}
          </code>
        </pre>
      )}
    </section>
  )
}

/** Authorizations in force of the client of an open flow, which can be ended (K8.4). */
const authorizations = authorizationsOf('client_id')

const nouns: Record<string, Noun> = { c: 'changes', '5': 'sessions', a: 'requests', f: 'flows' }

/** Page of an entry that the service does not have. Reports an entry that was sealed, because it was deleted or is past its retention. */
function LostEntry({ logId }: { logId: string }) {
  const proof = useRead('GET /logs/{log_id}/proof', { path: { log_id: logId } })
  const isSealed = proof.data !== undefined
  return (
    <Empty
      isPage
      title={isSealed ? texts.proof.lost : texts.states.notFound}
      action={<ActionLink to={entryAddress(logId).replace(/\/[^/]+$/, '')}>{texts.logs.openLog}</ActionLink>}
    >
      {isSealed ? texts.proof.lostHint : texts.states.notFoundHint} <Time value={timeOf(logId)} exact />
    </Empty>
  )
}

/** Entry of a log: its words, fields, raw form and proof. */
export function EntryScreen() {
  const { log_id = '' } = useParams<{ log_id: string }>()
  const session = useSession()
  const stream = log_id.charAt(0).toLowerCase()
  const noun = nouns[stream] ?? 'changes'
  const read = useRead('GET /logs/{log_id}', { path: { log_id } })
  const entry = read.data?.answer.data as Entry | undefined
  usePageTitle(texts.one(noun))
  if (!entry && read.error?.status === 404)
    return stream in nouns ? <LostEntry logId={log_id} /> : <Empty isPage title={texts.states.notFound} />
  if (!entry) return <ReadState title={texts.one(noun)} read={read} rows={8} />
  return (
    <>
      <PageHeader
        back={{ to: streamAddresses[stream] ?? '/changes', name: texts.many(noun) }}
        title={
          <>
            {texts.logs.entryTitle(noun)} <Time value={timeOf(entry.log_id)} exact />
          </>
        }
      />
      <div className="panels">
        {entry.type === 'change' && (
          <section>
            <ChangeBody change={entry} />
          </section>
        )}
        <section>
          <h2>{texts.logs.fields}</h2>
          <EntryFacts entry={entry} />
        </section>
        {entry.type === 'flow' && entry.flow_end === null && hasScope(session, authorizations.scope, 'read') && (
          <section>
            <h2>{texts.flows.authorizations}</h2>
            <authorizations.render row={{ id: String(entry.initiator_device_id) }} collection={clients} />
          </section>
        )}
        <ProofPart entry={entry} />
        <RawEntry entry={entry} />
      </div>
    </>
  )
}
