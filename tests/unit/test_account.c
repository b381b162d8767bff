// SPDX-License-Identifier: MIT
/*
 * Whom xschedd charges connections and requests to, and how much of both one account leaves
 * to others.
 */
#include "unit.h"

#include "base/allowance.h"
#include "base/places.h"
#include "facts/names.h"

#define SECOND	1000000000ULL

static const struct account unknown;

/* One of uid 0 is one of its cgroup; a user is one, wherever; what is unknown is one. */
static void accounts(void **state)
{
	const struct account user = account_of(1000, 7), elsewhere = account_of(1000, 8);
	const struct account root = account_of(0, 7), other = account_of(0, 8);

	(void)state;
	assert_true(account_is(&user, &elsewhere));
	assert_false(account_is(&root, &other));
	assert_true(account_same_user(&root, &other));
	assert_false(account_is(&root, &unknown));
	assert_false(account_same_user(&root, &unknown));
	assert_int_equal(account_parts(&user), 1);
	assert_int_equal(account_parts(&root), ACCOUNT_SHARES);
	assert_int_equal(account_parts(&unknown), ACCOUNT_SHARES);
}

/* Requests that are answered at once. */
static unsigned int answered(struct allowance *allowance, struct account account)
{
	unsigned int count = 0;

	for (; !allowance_wait(allowance, &account, SECOND); count++)
		allowance_charge(allowance, &account, SECOND, 0);
	return count;
}

/* A user has 100; what is unknown has a quarter, together; so has each cgroup of uid 0. */
static void allowances(void **state)
{
	struct allowance allowance = { 0 };

	(void)state;
	assert_int_equal(answered(&allowance, unknown), 25);
	assert_int_equal(answered(&allowance, account_of(1000, 1)), 100);
	assert_int_equal(answered(&allowance, account_of(1000, 2)), 0);
	for (uint64_t cgroup = 1; cgroup <= 4; cgroup++)
		assert_int_equal(answered(&allowance, account_of(0, cgroup)), 25);
	/* All shares of uid 0 have what a user has. */
	assert_int_equal(answered(&allowance, account_of(0, 5)), 0);
	assert_int_equal(answered(&allowance, account_of(1001, 1)), 100);
	/* And all together four times that. */
	assert_int_equal(answered(&allowance, account_of(1002, 1)), 75);
}

/* ---- places ------------------------------------------------------------- */

static const struct place_limits limits[PLACE_POOLS] = {
	[PLACES_OF_USERS] = { .all = 24, .of_account = 8 },
	[PLACES_OF_ADMINS] = { .all = 2, .of_account = 1 },
	[PLACES_OF_ROOT] = { .all = 4, .of_account = 16 },
};

static struct places places;
static struct place all[64];
static size_t count;

static int begin(void **state)
{
	(void)state;
	places_init(&places, limits);
	memset(all, 0, sizeof(all));
	count = 0;
	return 0;
}

/* Whether there is a place; *displaced: whose it was. */
static bool take(enum place_pool pool, struct account account, struct place **displaced)
{
	struct place *place = &all[count++];

	*place = (struct place){ .pool = pool, .account = account };
	return places_take(&places, place, displaced);
}

static bool takes(enum place_pool pool, struct account account)
{
	struct place *displaced;

	return take(pool, account, &displaced) && !displaced;
}

static unsigned int takes_all(enum place_pool pool, struct account account)
{
	unsigned int taken = 0;

	while (takes(pool, account))
		taken++;
	return taken;
}

/* One account has its number, unknown ones together a quarter, and others find places. */
static void one_leaves_places(void **state)
{
	(void)state;
	assert_int_equal(takes_all(PLACES_OF_USERS, account_of(1000, 0)), 8);
	assert_int_equal(takes_all(PLACES_OF_USERS, unknown), 2);
	assert_true(takes(PLACES_OF_USERS, account_of(1001, 0)));
	places_leave(&places, &all[0]);
	places_leave(&places, &all[0]);
	assert_true(takes(PLACES_OF_USERS, account_of(1000, 0)));
	assert_false(takes(PLACES_OF_USERS, account_of(1000, 0)));
}

/* When all are taken, who has fewer takes the newest of who has most. */
static void fewer_displace_more(void **state)
{
	struct place *displaced;
	struct account account;

	(void)state;
	for (uid_t uid = 1; uid <= 3; uid++)
		assert_int_equal(takes_all(PLACES_OF_USERS, account_of(uid, 0)), 8);
	assert_true(take(PLACES_OF_USERS, account_of(4, 0), &displaced));
	assert_non_null(displaced);
	assert_false(displaced->is_taken);
	account = displaced->account;
	assert_int_equal(account.user, 3);
	assert_ptr_equal(displaced, &all[7 + 9 + 9]);
	/* Each finds places, until all have the same. */
	for (int i = 0; i < 5; i++)
		assert_true(take(PLACES_OF_USERS, account_of(4, 0), &displaced));
	assert_false(take(PLACES_OF_USERS, account_of(4, 0), &displaced));
	assert_null(displaced);
	for (uid_t uid = 5; uid <= 24; uid++)
		assert_true(take(PLACES_OF_USERS, account_of(uid, 0), &displaced));
	assert_false(take(PLACES_OF_USERS, account_of(25, 0), &displaced));
}

/* However many users and administrators there are, root finds a place, and they do for root. */
static void pools_are_apart(void **state)
{
	(void)state;
	for (uid_t uid = 1; uid <= 3; uid++)
		takes_all(PLACES_OF_USERS, account_of(uid, 0));
	assert_true(takes(PLACES_OF_ADMINS, account_of(1, 0)));
	assert_false(takes(PLACES_OF_ADMINS, account_of(1, 0)));
	assert_true(takes(PLACES_OF_ADMINS, account_of(2, 0)));
	assert_int_equal(takes_all(PLACES_OF_ROOT, account_of(0, 1)), 4);
}

/* A container of root has a quarter; others of root take places of it, not of users. */
static void shares_of_root(void **state)
{
	struct place *displaced;

	(void)state;
	for (uint64_t cgroup = 1; cgroup <= 4; cgroup++)
		assert_int_equal(takes_all(PLACES_OF_USERS, account_of(0, cgroup)), 2);
	assert_int_equal(takes_all(PLACES_OF_USERS, account_of(1000, 0)), 8);
	assert_true(take(PLACES_OF_USERS, account_of(0, 5), &displaced));
	assert_int_equal(displaced->account.user, 0);
	assert_int_equal(displaced->account.share, 4);
}

/* ---- ranges ------------------------------------------------------------- */

/* Users of a range are its owner; what was heard last counts, when all of it has come. */
static void ranges(void **state)
{
	const struct name range = { .kind = NAME_RANGE, .found = true, .id = 1000,
				    .first = 100000, .count = 65536 };
	const struct name group = { .kind = NAME_GROUP, .found = true, .id = 77,
				    .name = ADMIN_GROUP };
	gid_t gid;

	(void)state;
	names_freeze();
	assert_true(names_stage(&range));
	assert_true(names_stage(&group));
	assert_int_equal(names_owner(100000), 100000);
	assert_false(names_admins(&gid));
	names_install();
	assert_int_equal(names_owner(99999), 99999);
	assert_int_equal(names_owner(100000), 1000);
	assert_int_equal(names_owner(165535), 1000);
	assert_int_equal(names_owner(165536), 165536);
	assert_true(names_admins(&gid));
	assert_int_equal(gid, 77);
	assert_true(names_stage(&range));
	names_unstage();
	names_install();
	assert_int_equal(names_owner(100000), 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accounts),
		cmocka_unit_test(allowances),
		cmocka_unit_test_setup(one_leaves_places, begin),
		cmocka_unit_test_setup(fewer_displace_more, begin),
		cmocka_unit_test_setup(pools_are_apart, begin),
		cmocka_unit_test_setup(shares_of_root, begin),
		cmocka_unit_test(ranges),
	};

	return RUN(tests);
}
