"""Statements that PostgreSQL prepared store and find what the plain ones would, also where a connection has lost them."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from runs import prepared
from runs.models import Upload
from runs.statements import Query, at_once, insert, together
from runs.tests.ingest.test_statements import columns, upload

pytestmark = pytest.mark.django_db(transaction=True)
of_key = Query(1, lambda key: Upload.objects.filter(text_key=key).exclude(status="fa%led").values_list("pk", "door"))


@pytest.fixture(autouse=True)
def _a_new_connection():
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL keeps statements")
    connection.close()


def store(key: str) -> Upload:
    row = upload(key)
    with together({}):
        insert([row])
    return row


def kept() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements")
        return {name for (name,) in cursor.fetchall()}


def test_a_row_is_what_django_makes_of_it():
    plain = upload("%s; '1'")
    plain.save()
    rows = [store(f"key {number}") for number in range(8)]  # from the sixth on PostgreSQL may use one plan for all
    assert len(kept()) == 1
    for row in rows:
        assert columns(row, but=("id", "text_key", "created_at")) == columns(
            plain, but=("id", "text_key", "created_at")
        )
    assert [of_key(row.text_key) for row in (plain, *rows)] == [[(row.pk, "rest")] for row in (plain, *rows)]
    assert len(kept()) == 2


def test_queries_are_asked_at_once_with_other_texts_each_time():
    pk_of = Query(1, lambda key: Upload.objects.filter(text_key=key).order_by().values_list("pk"))
    there = store("a % b")
    drawn = []
    for _ in range(8):
        values, ids = at_once((pk_of, ("a % b",)), (pk_of, ("none",)), draw=(Upload,))
        assert values == [there.pk, None]
        drawn += ids[Upload]
    assert drawn == list(range(there.pk + 1, there.pk + 9))


def test_nothing_is_prepared_in_a_transaction():
    with transaction.atomic():
        store("a")
        assert of_key("a") and not kept()


def test_two_rows_of_a_kind_that_go_out_one_by_one():
    with together({}):
        insert([upload("a")])
        insert([upload("b")])
        insert([upload("c"), upload("d")])
    assert Upload.objects.count() == 4 and len(kept()) == 1


def test_a_row_that_is_refused_takes_nothing_along():
    for _ in range(2):
        with pytest.raises(IntegrityError), together({}):
            insert([upload("a")])
            insert([upload("a")])
    assert not Upload.objects.exists()
    assert store("a").pk == Upload.objects.get().pk


def test_who_has_lost_its_statements_is_told_the_plain_ones():
    store("a")
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    store("b")
    assert of_key("a") and of_key("b") and not kept()


def test_who_has_them_from_somebody_else_is_told_the_plain_ones():
    store("a")
    prepared._there.clear()
    store("b")
    assert of_key("a") and of_key("b") and len(kept()) == 1


def test_what_finds_other_columns_now_is_told_the_plain_one():
    store("a")
    of_key("a")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE runs_upload ALTER door TYPE text")
        try:
            assert of_key("a") == [(Upload.objects.get().pk, "rest")]
        finally:
            cursor.execute("ALTER TABLE runs_upload ALTER door TYPE varchar(8)")
