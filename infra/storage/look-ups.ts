import { hash } from 'node:crypto'
import { CfnOutput, CfnParameter, CfnWaitConditionHandle, Lazy, NestedStack, Token } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/**
 * Nested stack that looks up each value from other stacks once, as a parameter. CloudFormation runs every occurrence of
 * `Fn::GetStackOutput` separately, so other resources refer to the outputs of this stack (docs/decisions/0032).
 */
export class LookUps extends NestedStack {
  /** Origin of each value: a literal from a setting, or a name in a different stack. */
  readonly #origins: string[] = []

  constructor(scope: Construct, id: string) {
    super(scope, id)
    // Sets a short logical id, because hundreds of properties in a size-limited template contain the id.
    this.nestedStackResource?.overrideLogicalId(id)
    // Adds a free resource without effect, because CloudFormation requires at least one. Outputs can change only together with a resource,
    // so the resource's id changes with the origins of the values.
    const nothing = new CfnWaitConditionHandle(this, 'Nothing')
    const digest = () => hash('sha256', JSON.stringify(this.#origins)).slice(0, 8)
    nothing.overrideLogicalId(Lazy.uncachedString({ produce: () => `Nothing${digest()}` }))
  }

  /**
   * Returns the value for a function's environment. A literal from a setting stays a literal, so that a change publishes a new version of
   * the function.
   */
  once(name: string, value: string): string {
    return Token.isUnresolved(value) ? this.reference(name, value) : value
  }

  reference(name: string, value: string): string {
    const parameter = new CfnParameter(this, `${name}Value`)
    this.setParameter(parameter.logicalId, value)
    this.#origins.push(Token.isUnresolved(value) ? name : value)
    new CfnOutput(this, name, { value: parameter.valueAsString })
    return Token.asString(this.nestedStackResource?.getAtt(`Outputs.${name}`))
  }
}
