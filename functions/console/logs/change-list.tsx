import { useState } from 'react'
import type { Names } from '../collection/references.ts'
import { ActionLink } from '../parts/controls.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { Time } from '../parts/time.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { labelOf, texts } from '../texts/texts.ts'
import { commitSegments, type Segment } from './change-words.ts'
import { type Change, entryAddress } from './entries.ts'
import { commitsOf, type FieldChange, fieldChanges, oldFields, settableFields } from './field-changes.ts'
import { useLogNames } from './log-names.ts'
import { collectionOf, objectAddress, wordsOf } from './objects.ts'

export function Sentence({ segments }: { segments: Segment[] }) {
  return (
    <span className="sentence">
      {segments.map(({ text, isName }, index) =>
        isName ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no identity
          <strong key={index}>
            <ShownText text={text} />
          </strong>
        ) : (
          text
        ),
      )}
    </span>
  )
}

type ViewProps = { change: Change; names: Names }

/** Differences of a change by field, in the words of the forms: removed and added elements of lists, old and new values of others. */
export function Differences({ change, names }: ViewProps) {
  const { object, operation, truncated } = change
  const words = (field: string, value: unknown) => <ShownText text={wordsOf(object, field, value, names)} />
  const lines = ({ field, before, after, removed, added }: FieldChange) => ({
    old: removed?.map((one) => [one]) ?? (before === null ? [] : [before]),
    fresh: added?.map((one) => [one]) ?? (after === null ? [] : [after]),
    field,
  })
  return (
    <>
      <dl className="differences">
        {fieldChanges(change).map((difference) => {
          const { field, old, fresh } = lines(difference)
          return (
            <div key={field}>
              <dt>{labelOf(field === 'actor_id' && object !== 'clients' ? 'actor' : field)}</dt>
              {old.map((value) => (
                <dd key={`- ${JSON.stringify(value)}`}>
                  <del>{words(field, value)}</del>
                </dd>
              ))}
              {fresh.map((value) => (
                <dd key={`+ ${JSON.stringify(value)}`}>
                  {operation === 'insert' ? words(field, value) : <ins>{words(field, value)}</ins>}
                </dd>
              ))}
            </div>
          )
        })}
      </dl>
      {truncated && <p className="remark">{texts.logs.truncated(truncated.map(labelOf))}</p>}
    </>
  )
}

/** Links of a change: its object, the form that puts old values back (K7.5), and the entry with its proof. */
export function ChangeLinks({ change, isEntry = false }: { change: Change; isEntry?: boolean }) {
  const session = useSession()
  const { object, operation, log_id } = change
  const collection = collectionOf(object)
  const address = objectAddress(change)
  const route = operation === 'delete' ? collection?.routes.create : collection?.routes.update
  const canPutBack =
    collection && route && hasScope(session, collection.scope, 'write') && oldFields(change, settableFields(collection))
  const form = operation === 'delete' ? address?.replace(/[^/]+$/, 'new') : `${address}/edit`
  return (
    <div className="part-links">
      {address && operation !== 'delete' && <ActionLink to={address}>{texts.logs.openObject}</ActionLink>}
      {canPutBack && form && <ActionLink to={`${form}?put_back=${log_id}`}>{texts.logs.putBack}</ActionLink>}
      {!isEntry && <ActionLink to={entryAddress(log_id)}>{texts.logs.openEntry}</ActionLink>}
    </div>
  )
}

function Commit({ commit, names }: { commit: Change[]; names: Names }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="row-link">
          <Time value={commit[0]?.timestamp ?? ''} exact />
          <Sentence segments={commitSegments(commit, names)} />
        </summary>
        {isOpen &&
          commit.map((change) => (
            <section key={change.log_id}>
              {commit.length > 1 && <Sentence segments={commitSegments([change], names).slice(1)} />}
              <Differences change={change} names={names} />
              <ChangeLinks change={change} />
            </section>
          ))}
      </details>
    </li>
  )
}

/** Change entries, one line in words for each commit. A line opens the differences of its entries (K9.1). */
export function ChangeList({ changes }: { changes: Change[] }) {
  const names = useLogNames(changes)
  return (
    <ol className="commits">
      {commitsOf(changes).map((commit) => (
        <Commit key={commit[0]?.log_id} commit={commit} names={names} />
      ))}
    </ol>
  )
}
