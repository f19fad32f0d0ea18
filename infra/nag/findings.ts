import { type App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'

type Finding = { rule: string; path: string; description: string }

function runChecks(pack: AwsSolutionsChecks, app: App): Finding[] {
  return pack
    .validateScope(app)
    .violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map((resource) => ({
        rule: ruleName,
        path: 'constructPath' in resource ? String(resource.constructPath) : '',
        description: description.trim(),
      })),
    )
}

/** Lists the findings of cdk-nag that are not acknowledged. */
export const findings = (app: App): Finding[] => runChecks(new AwsSolutionsChecks(app), app)

const key = Validations.ACKNOWLEDGED_RULES_METADATA_KEY

/** Maps each acknowledgement of an app (`path: rule`) to true if its finding still exists. */
export function listAcknowledgements(app: App): Map<string, boolean> {
  const all = new AwsSolutionsChecks(app)
  Object.defineProperty(all, 'isAcknowledged', { value: () => false })
  const found = runChecks(all, app)
  const entries = app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === key)
      .flatMap(({ data }) => Object.keys(data ?? {}))
      .map((id) => id.replace(/^annotation::/i, ''))
      .map((rule): [string, boolean] => [
        `${node.path}: ${rule}`,
        found.some((finding) => finding.rule === rule && `${finding.path}/`.startsWith(`${node.path}/`)),
      ]),
  )
  return new Map(entries)
}
