import { useState } from 'react'
import { writeExact } from '../client/exact-json.ts'
import { type Problem, toProblem } from '../client/problem.ts'
import { ConfirmDialog } from '../collection/confirm-dialog.tsx'
import type { Entry } from '../logs/entries.ts'
import { ActionButton, Badge } from '../parts/controls.tsx'
import { saveFile } from '../parts/secret-dialog.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { Failed } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { labelOf, texts } from '../texts/texts.ts'
import type { Step } from './prove.ts'
import { keepKey, readKept, type Unsealed, type Verified, verifyEntry } from './verify-entry.ts'

function StepView({ step: { kind, isValid, values } }: { step: Step }) {
  return (
    <details open={!isValid}>
      <summary>
        <Badge tone={isValid ? 'good' : 'bad'}>{isValid ? texts.proof.valid : texts.proof.invalid}</Badge>{' '}
        {texts.proof.steps[kind]}
      </summary>
      <dl className="proof-values">
        {values.map(([label, value]) => (
          <div key={label}>
            <dt>{labelOf(label)}</dt>
            <dd>
              {(value || texts.states.none).split('\n').map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no identity
                <code key={index}>
                  <ShownText text={line} />
                </code>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** Form for a key from an independent source, which replaces the first one that the browser saw. */
function KeyForm({ account }: { account: string }) {
  const [typed, setTyped] = useState('')
  const [outcome, setOutcome] = useState('')
  return (
    <details>
      <summary>{texts.proof.ownKey}</summary>
      <form
        className="field"
        onSubmit={(event) => {
          event.preventDefault()
          void keepKey(account, typed).then((isKept) => setOutcome(isKept ? texts.proof.keyKept : texts.proof.notAKey))
        }}
      >
        <label>
          {labelOf('verifier_key')}
          <input
            className="input"
            value={typed}
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <p className="hint" role="status">
          {outcome || texts.proof.keyHint(readKept(account).key)}
        </p>
        <ActionButton type="submit" isDisabled={typed.trim() === ''}>
          {texts.proof.keepKey}
        </ActionButton>
      </form>
    </details>
  )
}

/** Outcome of a verification, its steps, and its files with the names of docs/sealed-log.md. */
function ResultView({ entry, result }: { entry: Entry; result: Verified }) {
  const [replacing, setReplacing] = useState<'no' | 'confirming' | 'done'>('no')
  const { steps, proof, servedKey, relation, accept } = result
  const isProven = steps.every(({ isValid }) => isValid)
  const files: Array<[name: string, text: string]> = [
    ['entry.json', writeExact({ data: entry })],
    ['proof.json', writeExact({ data: proof })],
    ['seal.pub', `${servedKey}\n`],
    ['checkpoint.note', proof.note],
  ]
  const replace = async () => {
    accept?.()
    setReplacing('done')
  }
  return (
    <div className="proof-result">
      <p className={isProven ? 'verdict' : 'verdict bad'} role={isProven ? 'status' : 'alert'}>
        {isProven ? texts.proof.proven(proof.leaf_index, proof.size) : texts.proof.failed}
      </p>
      {!steps.at(-1)?.isValid && <p>{texts.proof.relations[relation]}</p>}
      {steps.map((step) => (
        <StepView key={step.kind} step={step} />
      ))}
      <div className="part-links">
        {files.map(([name, text]) => (
          <ActionButton key={name} onPress={() => saveFile(name, text, 'text/plain')}>
            {texts.proof.save(name)}
          </ActionButton>
        ))}
        {!isProven && accept && replacing !== 'done' && (
          <ActionButton tone="danger" onPress={() => setReplacing('confirming')}>
            {texts.proof.replace}
          </ActionButton>
        )}
      </div>
      {replacing === 'confirming' && (
        <ConfirmDialog
          title={texts.proof.replace}
          verb={texts.proof.replaceVerb}
          name={servedKey.split('+')[0] ?? ''}
          row={{ id: entry.log_id }}
          counts={[]}
          isDanger
          onConfirm={replace}
          onClose={() => setReplacing('no')}
        >
          <p>{texts.proof.replaceHint}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Proof of an entry, verified in the browser step by step (K9.3), and its limits (K9.5). */
export function ProofPart({ entry }: { entry: Entry }) {
  const { account } = useSession()
  const [result, setResult] = useState<Verified | Unsealed>()
  const [problem, setProblem] = useState<Problem>()
  const [isPending, setPending] = useState(false)
  const verify = async () => {
    setPending(true)
    setProblem(undefined)
    setResult(undefined)
    await verifyEntry(account.id, entry.log_id, entry).then(setResult, (error) => setProblem(toProblem(error)))
    setPending(false)
  }
  return (
    <section className="proof">
      <h2>{texts.proof.title}</h2>
      <p className="minor">
        {texts.proof.limit} <code>docs/sealed-log.md</code>.
      </p>
      <ActionButton tone="primary" onPress={() => void verify()} isPending={isPending}>
        {texts.proof.verify}
      </ActionButton>
      {problem && <Failed problem={problem} />}
      {result && 'reason' in result && (
        <p className={result.reason === 'missing' ? 'verdict bad' : 'remark'} role="status">
          {texts.proof.unsealed[result.reason](Math.ceil(result.retryAfter / 60))}
        </p>
      )}
      {result && 'steps' in result && <ResultView entry={entry} result={result} />}
      <KeyForm account={account.id} />
    </section>
  )
}
