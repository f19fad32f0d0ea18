import { CfnOutput, Fn, Stack } from 'aws-cdk-lib'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { CfnLoggingConfiguration, CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'
import { arnOf, stackIdSuffix } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'
import { keptBy } from '../storage/kept-by.ts'

const rulesOn = (part: string, ...rules: string[]) => rules.map((rule) => `${rule}_${part}`)

/**
 * Rules of the managed groups that count instead of blocking. Bodies are up to 5 MB of JSON and hold whatever a network
 * does: names, addresses, the domains of flows. A gateway that reports an attack must not be taken for one, and a filter
 * for `169.254.169.254` or `backup.log` is a question like any other.
 */
const countedRules: Record<string, string[]> = {
  AWSManagedRulesCommonRuleSet: [
    ...rulesOn('BODY', 'SizeRestrictions', 'EC2MetaDataSSRF', 'GenericLFI', 'GenericRFI', 'CrossSiteScripting'),
    ...rulesOn(
      'QUERYARGUMENTS',
      'EC2MetaDataSSRF',
      'GenericLFI',
      'GenericRFI',
      'RestrictedExtensions',
      'CrossSiteScripting',
    ),
    'SizeRestrictions_QUERYSTRING',
    // Devices and pipelines need not name themselves.
    'NoUserAgent_HEADER',
  ],
  AWSManagedRulesKnownBadInputsRuleSet: [
    'JavaDeserializationRCE_BODY',
    'JavaDeserializationRCE_QUERYSTRING',
    'Log4JRCE_BODY',
    'Log4JRCE_QUERYSTRING',
    'ReactJSRCE_BODY',
  ],
}

const seen = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples would show whole requests to whoever may look at the web ACL.
  sampledRequestsEnabled: false,
})

const managedGroup = (name: string, priority: number): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: countedRules[name]?.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: seen(name),
})

/** Refuses an address that sends more than this in five minutes, until it sends less. */
const perAddress = (limit: number, priority: number): CfnWebACL.RuleProperty => ({
  name: 'RequestsPerAddress',
  priority,
  action: { block: { customResponse: { responseCode: 429 } } },
  statement: { rateBasedStatement: { limit, aggregateKeyType: 'IP', evaluationWindowSec: 300 } },
  visibilityConfig: seen('RequestsPerAddress'),
})

/** Keeps a part of requests out of the log: tokens, bodies, and the codes and states of sign-ins. */
const hidden = (fieldType: string, ...fieldKeys: string[]): CfnWebACL.DataProtectProperty => ({
  field: { fieldType, ...(fieldKeys.length > 0 && { fieldKeys }) },
  action: 'SUBSTITUTION',
})

const region = 'us-east-1'

/** The web ACL of the CDN. One of CloudFront can be made in us-east-1 alone, so it has a stack of its own there. */
export class FirewallStack extends Stack {
  /** The web ACL's ARN, for a stack of another region. */
  readonly webAclArn = Fn.getStackOutput(this.stackName, 'WebAclArn', region)

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, { description: 'Network Access Administration: firewall', env: { region } })
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      rules: [
        managedGroup('AWSManagedRulesAmazonIpReputationList', 0),
        perAddress(settings.requestsPerAddress, 1),
        managedGroup('AWSManagedRulesKnownBadInputsRuleSet', 2),
        managedGroup('AWSManagedRulesCommonRuleSet', 3),
      ],
      visibilityConfig: seen(settings.prefix),
      dataProtectionConfig: {
        dataProtections: [hidden('SINGLE_HEADER', 'authorization'), hidden('QUERY_STRING'), hidden('BODY')],
      },
    })
    // AWS WAF takes no other beginning of the name.
    const logGroupName = `aws-waf-logs-${settings.prefix}-${stackIdSuffix(this)}`
    const kept = { retention: settings.logGroupDays, removalPolicy: keptBy(settings) }
    const logs = new LogGroup(this, 'Logs', { logGroupName, ...kept })
    const conditions = ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({ ActionCondition: { Action } }))
    const logging = new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [arnOf(this, 'logs', `log-group:${logGroupName}`)],
      // The access log of the API has the requests that pass.
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: conditions }],
      },
    })
    logging.node.addDependency(logs)
    new CfnOutput(this, 'WebAclArn', { value: acl.attrArn })
  }
}
