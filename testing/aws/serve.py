"""Runs moto, a third-party emulator of AWS, and does there with boto3 what each line of the input orders."""

import copy
import json
import sys
import urllib.request

import boto3
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2 import ec2_backends
from moto.server import ThreadedMotoServer

port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
server.start()
_, port = server.get_host_and_port()
url = f"http://127.0.0.1:{port}"
everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}


def open_client(service, region, key):
    return boto3.client(
        service,
        region_name=region,
        endpoint_url=url,
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
    )


def make_key():
    """The first key there is; from then on moto lets nobody in without one, and checks signatures."""
    iam = open_client("iam", "us-east-1", {"AccessKeyId": "none", "SecretAccessKey": "none"})
    iam.create_user(UserName="operator")
    key = iam.create_access_key(UserName="operator")["AccessKey"]
    iam.put_user_policy(UserName="operator", PolicyName="all", PolicyDocument=json.dumps(everything))
    heading = {"Content-Type": "text/plain"}
    urllib.request.urlopen(urllib.request.Request(f"{url}/moto-api/reset-auth", b"0", heading))
    return key


def split_reservations(region):
    """One instance in each reservation: moto pages by reservation, and single launches take ten times as long."""
    reservations = ec2_backends[DEFAULT_ACCOUNT_ID][region].reservations
    for reservation in list(reservations.values()):
        reservation.instances, others = reservation.instances[:1], reservation.instances[1:]
        for number, instance in enumerate(others):
            single = copy.copy(reservation)
            single.id, single.instances = f"{reservation.id}{number}", [instance]
            reservations[single.id] = single


def forget_terminated(region):
    """Like EC2 after an hour, but keeps the newest: a scan has not seen their end yet."""
    reservations = ec2_backends[DEFAULT_ACCOUNT_ID][region].reservations
    ended = [id for id, one in reservations.items() if all(i.state == "terminated" for i in one.instances)]
    for id in ended[:-32]:
        del reservations[id]


own_calls = {"split_reservations": split_reservations, "forget_terminated": forget_terminated}
key = make_key()
print(json.dumps({"url": url, "id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}), flush=True)

clients = {}
for line in sys.stdin:
    order = json.loads(line)
    place = (order["service"], order["region"])
    if place not in clients:
        clients[place] = open_client(*place, key)
    try:
        if order["call"] in own_calls:
            answer = {"answer": own_calls[order["call"]](order["region"])}
        else:
            answer = {"answer": getattr(clients[place], order["call"])(**order["with"])}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer, default=str), flush=True)
