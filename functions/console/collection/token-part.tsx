import { useRef, useState } from 'react'
import type { CalledRoute } from '../client/api-types.ts'
import { messagesOf, type Problem, toProblem } from '../client/problem.ts'
import { refreshAll } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { ActionButton, ModalDialog } from '../parts/controls.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { Failed } from '../parts/states.tsx'
import { type Noun, texts } from '../texts/texts.ts'
import type { Column, Field, Row, Values } from './collection.ts'
import { EndableRows } from './endable-rows.tsx'
import { FieldControl } from './field-controls.tsx'

export type TokenKind = {
  noun: Noun
  list: CalledRoute
  create: CalledRoute
  remove: CalledRoute
  envelope: string
  columns: Column<Row>[]
  fields: Field[]
}

const day = 86_400_000

/** Days after which a new token expires by default. */
const defaultDays = 90

const expiryOf = (days: number): string => new Date(Date.now() + days * day).toISOString()

type CreateProps = {
  kind: TokenKind
  path: Record<string, string>
  onToken: (token: string) => void
  onClose: () => void
}

function CreateDialog({ kind, path, onToken, onClose }: CreateProps) {
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(kind.fields.map(({ name, initial }) => [name, initial])),
  )
  const [days, setDays] = useState(String(defaultDays))
  const [problem, setProblem] = useState<Problem>()
  // Keeps the key for as long as the dialog is open, so that a retry returns the token of a lost response (A8.3).
  const sent = useRef({ text: '', key: '', body: {} })
  const submit = async () => {
    const text = JSON.stringify([values, days])
    if (sent.current.text !== text) {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
      const body = { [kind.envelope]: { ...given, expires_at: expiryOf(Number(days)) } }
      sent.current = { text, key: crypto.randomUUID(), body }
    }
    const { body, key } = sent.current
    const options = { path, body, idempotencyKey: key }
    const { answer } = await send(kind.create as 'POST /actors/{actor_id}/api_tokens', options as never)
    onToken(answer.data.token)
  }
  const errors = problem?.errors ?? {}
  return (
    <ModalDialog title={texts.actions.create(kind.noun)} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          setProblem(undefined)
          submit().catch((error) => setProblem(toProblem(error)))
        }}
      >
        {kind.fields.map((field) => (
          <FieldControl
            key={field.name}
            field={field}
            value={values[field.name]}
            faults={messagesOf(errors, field.name)}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        <FieldControl
          field={{ name: 'expires_in_days', kind: 'number', isRequired: true }}
          value={days}
          faults={messagesOf(errors, 'expires_at')}
          onChange={(value) => setDays(String(value))}
        />
        {problem && problem.status !== 422 && <Failed problem={problem} />}
        <div className="dialog-actions">
          <ActionButton onPress={onClose}>{texts.actions.cancel}</ActionButton>
          <ActionButton tone="primary" type="submit" isDisabled={!/^[1-9]\d{0,4}$/.test(days)}>
            {texts.actions.create(kind.noun)}
          </ActionButton>
        </div>
      </form>
    </ModalDialog>
  )
}

/** Tokens of an actor. A new token is shown once. */
export function TokenPart({ kind, row }: { kind: TokenKind; row: Row }) {
  const [isCreating, setCreating] = useState(false)
  const [token, setToken] = useState<string>()
  const path = { actor_id: row.id }
  return (
    <>
      <EndableRows
        noun={kind.noun}
        list={kind.list}
        path={path}
        columns={kind.columns}
        scope="tokens"
        remove={kind.remove}
        note={texts.confirm.tokenEnds}
        tools={
          <ActionButton icon="add" onPress={() => setCreating(true)}>
            {texts.actions.create(kind.noun)}
          </ActionButton>
        }
      />
      {isCreating && (
        <CreateDialog
          kind={kind}
          path={path}
          onClose={() => setCreating(false)}
          onToken={(created) => {
            setCreating(false)
            setToken(created)
            void refreshAll()
          }}
        />
      )}
      {token && <SecretDialog token={token} name={kind.envelope} onClose={() => setToken(undefined)} />}
    </>
  )
}
