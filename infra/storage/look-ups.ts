import { hash } from 'node:crypto'
import { CfnOutput, CfnParameter, CfnWaitConditionHandle, Lazy, NestedStack, Token } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/**
 * Values of other stacks, each looked up once, as a parameter of this nested stack. CloudFormation carries out every occurrence of
 * `Fn::GetStackOutput` by itself, so the rest of a stack refers to the outputs of this one (docs/decisions/0032).
 */
export class LookUps extends NestedStack {
  /** Origins of the values: settings, which have them literally, or names in other stacks. */
  readonly #origins: string[] = []

  constructor(scope: Construct, id: string) {
    super(scope, id)
    // Hundreds of properties name it, in a template whose size is bounded.
    this.nestedStackResource?.overrideLogicalId(id)
    // CloudFormation refuses a stack without a resource; this one costs nothing and does nothing. Its documentation lets outputs change
    // with resources alone, so there is another one when a value comes from elsewhere.
    const nothing = new CfnWaitConditionHandle(this, 'Nothing')
    const digest = () => hash('sha256', JSON.stringify(this.#origins)).slice(0, 8)
    nothing.overrideLogicalId(Lazy.uncachedString({ produce: () => `Nothing${digest()}` }))
  }

  /**
   * The value for variables of functions. A value that a setting gives is returned as it is: functions get a new version when it
   * changes, which a reference would not show.
   */
  once(name: string, value: string): string {
    return Token.isUnresolved(value) ? this.reference(name, value) : value
  }

  /** The value for policies and mappings, by a short reference, however long it is. */
  reference(name: string, value: string): string {
    const parameter = new CfnParameter(this, `${name}Value`)
    this.setParameter(parameter.logicalId, value)
    this.#origins.push(Token.isUnresolved(value) ? name : value)
    new CfnOutput(this, name, { value: parameter.valueAsString })
    return Token.asString(this.nestedStackResource?.getAtt(`Outputs.${name}`))
  }
}
