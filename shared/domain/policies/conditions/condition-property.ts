import type { Subject } from '../../../core/subject.ts'
import type { JsonSchema } from '../../../values/field.ts'

/** Facts about a request that the conditions of policies test (A17.3). */
export type ConditionContext = {
  client: { verified_at: string | null } | null
  subject: Pick<Subject, 'ip_region' | 'auth_provider_id'> & { ip: string | null }
}

/** Tests a condition at an instant in microseconds. Returns its end if it holds for a limited time. */
export type ConditionTest = (context: ConditionContext, at: number) => boolean | number

/** A property that conditions can test (A17.1). */
export type ConditionProperty = {
  name: string
  operators: readonly string[]
  /** Plural noun for the values in the text about operators. */
  values: string
  message: string
  /** Returns the message for a value that is not allowed. */
  refuse: (value: string) => string | undefined
  form: JsonSchema
  single?: boolean
  /** Returns the fact that the condition tests. A client's authorizations are tested again when one changes. */
  fact: (context: ConditionContext) => string | boolean | null
  /** Returns whether access lists can test the condition without a client, for people or for service accounts. */
  isDecidable: (person: boolean) => boolean
  /** Creates the test from stored values, which were checked before. */
  parse: (values: string[], operator: string) => ConditionTest
}
