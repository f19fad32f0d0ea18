"""Writes commands.txt: the AWS CLI commands that the documents may use, with their options.

    pip install awscli && python3 test/docs/aws-cli/write.py

Reads the parser of the installed AWS CLI, version 1, whose service models come from botocore. Version 2 takes the same
options and some more, which V2 adds. A new command goes into COMMANDS, then the script runs again.
"""

from pathlib import Path

import awscli
import botocore
from awscli.clidriver import create_clidriver

COMMANDS = """
acm describe-certificate
apigatewayv2 create-api-mapping create-route create-stage get-api get-integrations get-routes get-stage update-stage
backup list-copy-jobs update-region-settings
cloudformation cancel-update-stack create-change-set delete-stack describe-change-set
cloudformation describe-stack-drift-detection-status describe-stack-events describe-stack-resource
cloudformation describe-stack-resource-drifts describe-stacks detect-stack-drift execute-change-set
cloudformation list-stack-resources update-termination-protection
cloudformation wait change-set-create-complete
cloudformation wait stack-create-complete
cloudfront get-distribution-config
cloudtrail get-trail-status
cloudwatch describe-alarm-history describe-alarms get-metric-statistics set-alarm-state
deploy list-deployments
dynamodb describe-table get-resource-policy put-resource-policy restore-table-to-point-in-time scan
dynamodb update-continuous-backups update-table update-time-to-live
dynamodb wait table-exists
events describe-rule disable-rule enable-rule list-rules list-targets-by-rule put-rule put-targets
iam get-account-summary get-role-policy put-role-policy
kms describe-key enable-key put-key-policy replicate-key
lambda add-permission create-event-source-mapping delete-event-source-mapping get-account-settings get-alias
lambda get-event-source-mapping get-function-concurrency invoke list-event-source-mappings list-functions update-alias
lambda update-event-source-mapping
s3 mb
s3api get-object get-object-lock-configuration get-object-retention list-object-versions list-objects-v2
s3api put-object
secretsmanager create-secret delete-secret describe-secret get-secret-value list-secrets put-secret-value rotate-secret
sesv2 get-account get-email-identity
sns list-subscriptions-by-topic subscribe
sts get-caller-identity
"""

# The AWS CLI Command Reference, version 2: commands and global options that version 1 lacks.
V2 = [
    "sso login --sso-session --no-browser? --use-device-code?",
]
V2_GLOBAL = [
    "--cli-auto-prompt?",
    "--cli-binary-format=base64|raw-in-base64-out",
    "--cli-error-format",
    "--no-cli-auto-prompt?",
    "--no-cli-pager?",
    "--output=json|text|table|yaml|yaml-stream|off",
]
V2_INPUT = ["--cli-input-yaml", "--generate-cli-skeleton=input|output|yaml-input"]


def option(name, argument):
    """The notation of an option: ! is required, ? takes no value, + takes several, = one of, {} has these members."""
    model = getattr(argument, "argument_model", None)
    values = list(getattr(argument, "choices", None) or [])
    members = []
    several = argument.cli_type_name == "list" or argument.nargs in ("*", "+")
    if model is not None:
        inner = model.member if model.type_name == "list" else model
        values = values or list(getattr(inner, "enum", None) or [])
        if inner.type_name == "structure" and not getattr(inner, "is_document_type", False):
            members = list(inner.members)
    text = f"--{name}" + ("!" if argument.required else "")
    if argument.cli_type_name == "boolean":
        return text + "?"
    if several:
        text += "+"
    if values:
        text += "=" + "|".join(values)
    elif members:
        text += "{" + ",".join(members) + "}"
    return text


def line(words, table):
    """A command: its positional arguments, then its options."""
    positional, options = [], []
    for name, argument in table.items():
        if name == "paths":
            positional += ["<path>"] * argument.nargs if isinstance(argument.nargs, int) else ["<path>?"]
        elif argument.positional_arg or name == "outfile":
            positional.append(f"<{name}>")
        elif name != "generate-cli-skeleton":
            options.append(option(name, argument))
    return " ".join([*words, *positional, *sorted(options)])


def children(command):
    make = getattr(command, "_get_command_table", None)
    return make() if make else command.subcommand_table


def main():
    driver = create_clidriver()
    services = children(driver)
    known = {}
    for row in COMMANDS.split("\n"):
        service, *names = row.split() or [None]
        if service is None:
            continue
        commands = children(services[service])
        if names[0] == "wait":
            words = [service, *names]
            known[" ".join(words)] = line(words, children(commands["wait"])[names[1]].arg_table)
            continue
        for name in names:
            known[f"{service} {name}"] = line([service, name], commands[name].arg_table)
    arguments = driver._get_argument_table()
    own = {row.split("=")[0].rstrip("?") for row in V2_GLOBAL}
    common = [option(name, it) for name, it in arguments.items() if f"--{name}" not in own and name != "v2-debug"]
    common = [it.replace("{}", "") for it in common] + V2_GLOBAL + V2_INPUT
    header = [
        "# The AWS CLI commands that the documents may use. Written by test/docs/aws-cli/write.py, which also tells the notation:",
        "# ! is required, ? takes no value, + takes several, = one of these, {} a structure of these members, <> an argument without a name.",
        f"# From aws-cli {awscli.__version__} and botocore {botocore.__version__}, with the additions of AWS CLI version 2.",
    ]
    rows = [*header, " ".join(["aws", *sorted(common)]), *sorted([*known.values(), *V2])]
    Path(__file__).with_name("commands.txt").write_text("\n".join(rows) + "\n")


main()
