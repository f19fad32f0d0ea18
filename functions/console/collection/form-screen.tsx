import { useRef, useState } from 'react'
import { Form } from 'react-aria-components'
import { useLocation, useParams, useSearchParams } from 'wouter'
import { messagesOf, type Problem, toProblem } from '../client/problem.ts'
import { refreshAll, useRead } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { oldFields, settableFields } from '../logs/field-changes.ts'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { useUnsavedGuard } from '../parts/guard.ts'
import { notify } from '../parts/notice.tsx'
import { PageHeader, usePageTitle } from '../parts/page.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { Empty, Failed, NotFound, ReadState } from '../parts/states.tsx'
import { submitting } from '../parts/submitting.ts'
import { hasScope, useSession } from '../session/session.ts'
import { labelOf, texts } from '../texts/texts.ts'
import { type Collection, type Field, fillAddress, type Row, type Values } from './collection.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { FieldControl } from './field-controls.tsx'
import { changesOf } from './merge.ts'
import { useTitle } from './values.tsx'

type Action = 'create' | 'update'

/** Kinds of fields that an address can prefill. */
const prefilled: Field['kind'][] = ['text', 'choice', 'reference']

/** Values of the fields of a row, as the form edits them. Numbers are edited as texts. */
const valuesOf = (fields: Field[], row: Values): Values =>
  Object.fromEntries(
    fields.map(({ name, kind }) => {
      const value = row[name] ?? null
      return [name, kind === 'number' && value !== null ? String(value) : value]
    }),
  )

const initialValues = (fields: Field[], search: URLSearchParams): Values =>
  Object.fromEntries(
    fields.map(({ name, kind, initial }) => [
      name,
      (prefilled.includes(kind) && search.get(name)) || (initial ?? null),
    ]),
  )

/** Removes blanks that a person left in lists. The service trims texts itself. */
function tidy(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  if (value.every((item) => typeof item === 'string')) return value.map((item) => item.trim()).filter(Boolean)
  return value.map((item) => Object.fromEntries(Object.entries(item).map(([key, part]) => [key, tidy(part)])))
}

/** Creates a key for a request, and another one as soon as the body differs: a retry is replayed, a correction is not (A8.3). */
function useIdempotencyKey(): (body: unknown) => string {
  const last = useRef({ body: '', key: '' })
  return (body) => {
    const text = JSON.stringify(body)
    if (text !== last.current.body) last.current = { body: text, key: crypto.randomUUID() }
    return last.current.key
  }
}

type EditorProps = {
  collection: Collection
  fields: Field[]
  action: Action
  row: Row | undefined
  etag: string | null | undefined
  initial: Values
  /** Old values that the form suggests instead of the current ones (K7.5). */
  old: Values | undefined
}

function Editor({ collection, fields, action, row, etag, initial, old }: EditorProps) {
  const { noun, routes, envelope, address, counts = [] } = collection
  const name = useTitle(collection, row)
  const params = useParams<Record<string, string>>()
  const [, navigate] = useLocation()
  const [base, setBase] = useState({ values: initial, etag: etag ?? undefined })
  const [values, setValues] = useState({ ...initial, ...old })
  const [problem, setProblem] = useState<Problem>()
  const [isPending, setPending] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
  const [conflict, setConflict] = useState<{ theirs: Values; etag: string | null }>()
  const [secret, setSecret] = useState<{ token: string; next: string }>()
  const keyOf = useIdempotencyKey()
  const session = useSession()
  const listAddress = fillAddress(address, params)
  const shown = fields.filter((field) => field.isShown?.(values, session, row?.id) !== false)
  const visible = Object.fromEntries(shown.map(({ name }) => [name, tidy(values[name])]))
  const changed = action === 'update' ? changesOf(base.values, visible) : visible
  const isChanged = Object.keys(action === 'update' ? changed : changesOf(initial, values)).length > 0
  const release = useUnsavedGuard(isChanged && !secret)
  const changedFields = shown.filter(({ name }) => name in changed)
  const decisive = changedFields.filter(({ decidesAccess }) => decidesAccess)
  const consequences = changedFields.flatMap(({ consequence }) => consequence ?? [])
  const back = row ? `${listAddress}/${row.id}` : (collection.back?.(params as never) ?? listAddress)

  const leave = async (to: string) => {
    release()
    navigate(to)
    await refreshAll()
  }
  const create = async () => {
    const body = { [envelope]: Object.fromEntries(Object.entries(visible).filter(([, value]) => value !== null)) }
    const options = { path: params, body, idempotencyKey: keyOf(body) }
    const { answer } = await send(routes.create as 'POST /sites', options as never)
    const created = answer.data as Row & { token?: string }
    notify(texts.form.created(noun))
    const next = `${listAddress}/${created.id}`
    if (created.token) setSecret({ token: created.token, next })
    else await leave(next)
  }
  const update = async (changes: Values, tag: string | undefined) => {
    const options = { path: params, body: { [envelope]: changes }, ifMatch: tag }
    await send(routes.update as 'PATCH /sites/{id}', options as never)
    notify(texts.form.saved(noun))
    await leave(back)
  }
  /** Loads the current object after 412. Throws other problems. */
  const handle = async (error: unknown) => {
    const next = toProblem(error)
    if (next.status !== 412) throw next
    const current = await send(routes.read as 'GET /sites/{id}', { path: params as { id: string } })
    setConfirming(false)
    setConflict({ theirs: valuesOf(fields, current.answer.data as Values), etag: current.etag })
  }
  const save = async () => {
    if (action === 'create') return create()
    await update(changed, base.etag).catch(handle)
  }
  const submit = async () => {
    setProblem(undefined)
    if (action === 'update' && !isChanged) return notify(texts.form.unchanged)
    if (action === 'update' && decisive.length + consequences.length > 0) return setConfirming(true)
    setPending(true)
    await save().catch((error) => setProblem(toProblem(error)))
    setPending(false)
  }
  const errors = problem?.errors ?? {}
  const named = new Set(shown.map(({ name }) => name))
  const others = Object.entries(errors).filter(([key]) => !named.has(key.split('.')[0] ?? ''))
  return (
    <>
      <Form className="form" onSubmit={submitting(submit)}>
        {problem && (
          <div className="form-problem">
            {problem.status === 422 && Object.keys(errors).length > 0 ? (
              <div className="failed" role="alert">
                <p>{texts.form.invalid}</p>
                {others.map(([key, messages]) => (
                  <p key={key}>{key === 'base' ? messages.join(' ') : `${labelOf(key)}: ${messages.join(' ')}`}</p>
                ))}
              </div>
            ) : problem.status === 429 ? (
              <div className="failed" role="alert">
                <p>{texts.form.rateLimited(problem.retryAfter ?? 1)}</p>
              </div>
            ) : (
              <Failed problem={problem} />
            )}
          </div>
        )}
        {shown.map((field) => (
          <FieldControl
            key={field.name}
            field={field}
            value={values[field.name]}
            faults={messagesOf(errors, field.name)}
            onChange={(value) => setValues((current) => ({ ...current, [field.name]: value }))}
          />
        ))}
        <div className="form-actions">
          <ActionButton tone="primary" type="submit" isPending={isPending}>
            {action === 'create' ? texts.actions.create(noun).replace('New', 'Create') : texts.actions.save}
          </ActionButton>
          <ActionLink to={back}>{texts.actions.cancel}</ActionLink>
        </div>
      </Form>
      {isConfirming && row && (
        <ConfirmDialog
          title={texts.confirm.change(noun, name)}
          verb={texts.confirm.changeVerb}
          name={name}
          row={row}
          counts={counts}
          onConfirm={save}
          onClose={() => setConfirming(false)}
        >
          {decisive.length > 0 && <p>{texts.confirm.changeHint(decisive.map(({ name }) => labelOf(name)))}</p>}
          {consequences.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </ConfirmDialog>
      )}
      {conflict && row && (
        <ConflictDialog
          fields={fields}
          id={row.id}
          loaded={Object.fromEntries(shown.map(({ name }) => [name, base.values[name]]))}
          theirs={conflict.theirs}
          mine={visible}
          onSave={async (merged) => {
            const changes = changesOf(conflict.theirs, merged)
            if (Object.keys(changes).length === 0) return leave(back)
            await update(changes, conflict.etag ?? undefined).catch(handle)
          }}
          onReload={() => {
            setBase({ values: conflict.theirs, etag: conflict.etag ?? undefined })
            setValues(conflict.theirs)
            setConflict(undefined)
          }}
          onClose={() => setConflict(undefined)}
        />
      )}
      {secret && <SecretDialog token={secret.token} name={`${noun}-token`} onClose={() => void leave(secret.next)} />}
    </>
  )
}

/**
 * Form of a collection, for a new object or an existing one. Unsaved changes are kept until they are saved or discarded. The address can name
 * a change entry whose settable old fields the form suggests (K7.5).
 */
export function FormScreen({ collection, action }: { collection: Collection; action: Action }) {
  const { noun, backNoun, routes, address, back, scope } = collection
  const fields = collection.fields.filter(({ only = action }) => only === action)
  const session = useSession()
  const params = useParams<Record<string, string>>()
  const [search] = useSearchParams()
  const log_id = search.get('put_back') ?? ''
  const entry = useRead('GET /logs/{log_id}', { path: { log_id }, enabled: log_id !== '' })
  const isUpdate = action === 'update'
  const read = useRead(routes.read as 'GET /sites/{id}', { path: params as { id: string }, enabled: isUpdate })
  // Keeps the object that the form was opened with: a refetch must not replace the base of its changes.
  const opened = useRef<{ row: Row; etag: string | null }>(undefined)
  if (read.data) opened.current ??= { row: read.data.answer.data as Row, etag: read.data.etag }
  const { row, etag } = opened.current ?? {}
  const name = useTitle(collection, row)
  const title = isUpdate ? `${texts.actions.edit}: ${name || texts.one(noun)}` : texts.actions.create(noun)
  usePageTitle(title)
  if (!hasScope(session, scope, 'write'))
    return (
      <Empty isPage title={texts.form.onlyReads}>
        {texts.form.onlyReadsHint}
      </Empty>
    )
  if (log_id && !entry.data) return <ReadState title={title} read={entry} rows={6} />
  const list = back?.(params as never) ?? fillAddress(address, params)
  if (!row && read.error?.namesNothing) return <NotFound to={list} name={texts.many(backNoun ?? noun)} />
  if (isUpdate && !row) return <ReadState title={title} read={read} rows={6} />
  const change = entry.data?.answer.data
  const old = change?.type === 'change' ? oldFields(change, settableFields(collection)) : undefined
  const oldValues =
    old &&
    valuesOf(
      fields.filter(({ name }) => name in old),
      old,
    )
  return (
    <>
      <PageHeader title={title} back={{ to: list, name: texts.many(backNoun ?? noun) }} />
      {log_id && <p className="remark">{old ? texts.logs.puttingBack : texts.logs.nothingToPutBack}</p>}
      <Editor
        collection={collection}
        fields={fields}
        action={action}
        row={row}
        etag={etag}
        initial={row ? valuesOf(fields, row) : initialValues(fields, search)}
        old={oldValues}
      />
    </>
  )
}
