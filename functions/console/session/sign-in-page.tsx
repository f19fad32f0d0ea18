import { type ReactNode, useState } from 'react'
import { Form, Input, Label, Text, TextField } from 'react-aria-components'
import { useLocation } from 'wouter'
import { toProblem } from '../client/problem.ts'
import { ActionButton } from '../parts/controls.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { texts } from '../texts/texts.ts'
import { activate, type Session, type SignInReason, signInWithToken, startSignIn } from './session.ts'

const explanations: Partial<Record<SignInReason, string>> = {
  ended: texts.signIn.ended,
  idle: texts.signIn.idle,
  denied: texts.signIn.denied,
  failed: texts.signIn.failed,
  used: texts.signIn.used,
}

function Panel({ reason, children }: { reason: SignInReason; children: ReactNode }) {
  // Replaces the title of the last screen, which can be the name of an object.
  usePageTitle(texts.signIn.title)
  return (
    <main className="sign-in">
      <div className="sign-in-panel">
        <p className="product">{texts.product}</p>
        <h1>{texts.signIn.title}</h1>
        {explanations[reason] && (
          <p className="explanation" role="status">
            {explanations[reason]}
          </p>
        )}
        {children}
      </div>
    </main>
  )
}

type TokenFormProps = { slug?: string; onSession: (session: Session) => void }

/** Form for a pasted API token (K3.5). */
export function TokenForm({ slug, onSession }: TokenFormProps) {
  const [pasted, setPasted] = useState('')
  const [fault, setFault] = useState<string>()
  const [isPending, setPending] = useState(false)
  const submit = async () => {
    setPending(true)
    setFault(undefined)
    try {
      onSession(await signInWithToken(pasted, slug))
    } catch (error) {
      const problem = toProblem(error)
      setFault(problem.status === 401 ? texts.signIn.tokenInvalid : problem.message)
    } finally {
      setPending(false)
    }
  }
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <TextField
        className="field"
        type="password"
        value={pasted}
        onChange={setPasted}
        isInvalid={fault !== undefined}
        validationBehavior="aria"
        autoComplete="off"
      >
        <Label>{texts.signIn.token}</Label>
        <Input className="input" spellCheck={false} />
        <Text slot="description" className="hint">
          {texts.signIn.tokenHint}
        </Text>
        {fault && (
          <Text slot="errorMessage" className="fault">
            {fault}
          </Text>
        )}
      </TextField>
      <ActionButton tone="primary" type="submit" isDisabled={pasted.trim() === ''} isPending={isPending}>
        {texts.signIn.go}
      </ActionButton>
    </Form>
  )
}

/** Page of an account without a session: the sign-in page of the service, or a token. */
export function SignInPage({ slug, reason }: { slug: string; reason: SignInReason }) {
  return (
    <Panel reason={reason}>
      <ActionButton tone="primary" onPress={() => void startSignIn(slug)}>
        {texts.signIn.provider}
      </ActionButton>
      <h2 className="divider">{texts.signIn.withToken}</h2>
      <TokenForm slug={slug} onSession={activate} />
    </Panel>
  )
}

/** Page at `/console`, where the account is not known yet. */
export function AccountPage({ reason }: { reason: SignInReason }) {
  const [slug, setSlug] = useState('')
  const [, navigate] = useLocation()
  return (
    <Panel reason={reason}>
      <Form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          navigate(`/console/${encodeURIComponent(slug.trim())}`)
        }}
      >
        <TextField className="field" value={slug} onChange={setSlug} autoComplete="organization">
          <Label>{texts.signIn.account}</Label>
          <Input className="input" autoCapitalize="none" spellCheck={false} />
          <Text slot="description" className="hint">
            {texts.signIn.accountHint}
          </Text>
        </TextField>
        <ActionButton tone="primary" type="submit" isDisabled={slug.trim() === ''}>
          {texts.signIn.go}
        </ActionButton>
      </Form>
      <h2 className="divider">{texts.signIn.withToken}</h2>
      <TokenForm
        onSession={(session) => {
          activate(session)
          navigate(`/console/${session.account.slug}`)
        }}
      />
    </Panel>
  )
}
